const cacheName = "tc-wgsl playground";

/** Of this machine: there is no network to be without, and the next page at this port may be another one. */
const ownHosts = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Keeps all files of the page in the browser, so that it works without a network from then on, with what is only loaded
 * when it is used. Those of an older version are forgotten. Where the browser does not allow that, nothing is kept.
 */
export async function keepOffline(): Promise<void> {
  if (ownHosts.includes(location.hostname)) return;
  if (!globalThis.isSecureContext || !("serviceWorker" in navigator)) return;
  try {
    await navigator.serviceWorker.register("./service-worker.js");
    const listed: unknown = await (await fetch("./files.json")).json();
    if (!Array.isArray(listed)) return;
    const files = new Set(listed.map((file) => new URL(String(file), location.href).href));
    const cache = await caches.open(cacheName);
    const kept = new Set((await cache.keys()).map(({ url }) => url));
    // Only names with a hash stand for what they stood for.
    await cache.addAll([...files].filter((url) => !kept.has(url) || !url.includes("/assets/")));
    for (const url of kept) if (!files.has(url)) await cache.delete(url);
  } catch {
    // A private window, a full disk, or the network is gone already.
  }
}
