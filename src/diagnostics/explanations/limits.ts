import type { Pages } from "./page.ts";

/** TC5xxx: limits of devices. */
export const limitPages: Pages<"TC5"> = {};
