import axios from "axios";
import { ebbInterceptor } from "@ebb/axios";
import { likeAxiosRetry } from "@ebb/compat";

const client = axios.create({
    baseURL: "https://api.example.com",
    timeout: 12000,
});

client.interceptors.request.use(ebbInterceptor(likeAxiosRetry({
    retries: 2,
    shouldResetTimeout: true,
    retryDelay: likeAxiosRetry.exponentialDelay,
    retryCondition: (err) => likeAxiosRetry.isNetworkError(err) || [502, 503, 504].includes(err.response?.status),
})));

export const health = () => client.get("/health").then((r) => r.status);
