/** What diagnostics mean, page by page: apart from the compiler, which does not need the texts. */
export { diagnosticCodes, type Explanation, explain } from "./diagnostics/explain.ts";
