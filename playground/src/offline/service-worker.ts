/**
 * Stands between the page and its host, for the time without a network: files whose names have a hash come from the
 * cache, which keep-offline.ts fills; the others from the network as long as there is one. Imports nothing: not all
 * browsers take modules for service workers.
 */

/** The part of a service worker's global scope that is used. */
interface Scope {
  addEventListener(
    type: "install" | "activate",
    listener: (event: { waitUntil(done: Promise<unknown>): void }) => void,
  ): void;
  addEventListener(
    type: "fetch",
    listener: (event: {
      readonly request: Request;
      respondWith(response: Promise<Response>): void;
    }) => void,
  ): void;
  skipWaiting(): Promise<void>;
  readonly clients: { claim(): Promise<void> };
}

const scope = globalThis as unknown as Scope;

async function kept(request: Request): Promise<Response | undefined> {
  return await caches.match(request, { ignoreSearch: true });
}

async function fromCacheFirst(request: Request): Promise<Response> {
  return (await kept(request)) ?? (await fetch(request));
}

async function fromNetworkFirst(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    const found = await kept(request);
    if (found === undefined) throw error;
    return found;
  }
}

scope.addEventListener("install", (event) => event.waitUntil(scope.skipWaiting()));
// The page that is open needs it, too.
scope.addEventListener("activate", (event) => event.waitUntil(scope.clients.claim()));
scope.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  const isHashed = pathname.includes("/assets/");
  event.respondWith(isHashed ? fromCacheFirst(request) : fromNetworkFirst(request));
});

export {};
