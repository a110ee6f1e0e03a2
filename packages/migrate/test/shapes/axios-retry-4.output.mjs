import axios from "axios";
import { ebbInterceptor } from "@ebb/axios";

// errorOf 1485

// retriedIf f140

// isNetworkError 4227

const client = axios.create({
    baseURL: "https://api.example.com",
    timeout: 12000,
});

client.interceptors.request.use(ebbInterceptor({
    methods: "all",
    maxRetries: 2,
    backoff: ({ retry, random }) => 100 * 2 ** retry * (1 + random() / 5),
    classify: retriedIf((err) => isNetworkError(err) || [502, 503, 504].includes(err.response?.status)),
}));

export const health = () => client.get("/health").then((r) => r.status);
