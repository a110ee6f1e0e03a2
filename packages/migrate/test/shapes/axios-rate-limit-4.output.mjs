import Axios from 'axios'
import { ebbInterceptor } from '@ebb/axios'
import { tokenBucket } from '@ebb/core'

export class RequestHandler {
    constructor(maxRequests, perMilliseconds) {
        this.requestHandler = Axios.create()
        this.requestHandler.interceptors.request.use(ebbInterceptor({ maxRetries: 0, feedback: false, bucket: tokenBucket({ capacity: maxRequests, refillPerSecond: (maxRequests * 1000) / perMilliseconds, refillIntervalMs: perMilliseconds }) }))
    }

    async card(name) {
        const { status } = await this.requestHandler.get('https://api.example.com/cards/' + name)
        return status
    }
}

const handler = new RequestHandler(1, 300)

export const cards = () => Promise.all(['a', 'b', 'c'].map((name) => handler.card(name)))
