import Axios from 'axios'
import { ebbInterceptor } from '@ebb/axios'
import { likeAxiosRateLimit } from '@ebb/compat'

export class RequestHandler {
    constructor(maxRequests, perMilliseconds) {
        this.requestHandler = likeAxiosRateLimit(Axios.create(), { maxRequests: maxRequests, perMilliseconds: perMilliseconds }, ebbInterceptor)
    }

    async card(name) {
        const { status } = await this.requestHandler.get('https://api.example.com/cards/' + name)
        return status
    }
}

const handler = new RequestHandler(1, 300)

export const cards = () => Promise.all(['a', 'b', 'c'].map((name) => handler.card(name)))
