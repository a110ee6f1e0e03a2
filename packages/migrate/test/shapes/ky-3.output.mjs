import ky from "ky"
import { createFetch } from "@ebb/fetch"

// retriedStatuses d8d2

// likeKy 1916

const api = ky.create({ prefix: "https://api.example.com", timeout: false, retry: 0 })

const patient = api.extend({
  fetch: createFetch({ ...likeKy, maxRetries: 4, methods: ["GET", "POST"], classify: retriedStatuses([408, 500, 502]), backoff: ({ retry }) => Math.min(3000, 300 * 2 ** (retry - 1)) }), retry: 0,
})

export const create = (body = { a: 1 }) => patient.post("things", { json: body }).text()
export const once = () => api.get("things").text()
