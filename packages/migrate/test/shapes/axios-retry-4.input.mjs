import axios from "axios";
import axiosRetry, { exponentialDelay, isNetworkError } from "axios-retry";

const client = axios.create({
    baseURL: "https://api.example.com",
    timeout: 12000,
});

axiosRetry(client, {
    retries: 2,
    shouldResetTimeout: true,
    retryDelay: exponentialDelay,
    retryCondition: (err) => isNetworkError(err) || [502, 503, 504].includes(err.response?.status),
});

export const health = () => client.get("/health").then((r) => r.status);
