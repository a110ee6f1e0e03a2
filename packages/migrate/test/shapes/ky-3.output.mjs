import ky from "ky"
import { likeKy } from "@ebb/compat"
import { createFetch } from "@ebb/fetch"

const api = ky.create({ prefix: "https://api.example.com", timeout: false, retry: 0 })

const patient = likeKy(api, createFetch).extend({
  retry: {
    limit: 4,
    methods: ["get", "post"],
    statusCodes: [408, 500, 502],
    backoffLimit: 3000,
  },
})

export const create = (body = { a: 1 }) => patient.post("things", { json: body }).text()
export const once = () => api.get("things").text()
