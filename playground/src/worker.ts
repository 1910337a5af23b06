/** The worker: compiles, runs on the device, and computes the reference. A page starts several. */
import { answer } from "./answer.ts";
import type { WorkerMessage, WorkerReply } from "./worker-protocol.ts";

/** The part of a worker's global scope that is used. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<WorkerMessage>) => void) | null;
  postMessage(message: WorkerReply): void;
}

const scope = globalThis as unknown as WorkerScope;
const respond = answer("worker", (event) => scope.postMessage(event));

scope.onmessage = async ({ data: { id, request } }) => {
  scope.postMessage({ id, ...(await respond(request)) });
};
