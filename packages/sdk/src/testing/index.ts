export { type CallResult, type CallToSend, prepareCall, type PreparedCall, sendCall } from "./calling.ts";
export { sampleBody } from "./samples.ts";
