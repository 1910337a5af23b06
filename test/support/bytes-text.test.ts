import { expect, it } from "vitest";
import { bytesText } from "../../src/support/bytes-text.ts";

it.each([
  [0, "0 bytes"],
  [1023, "1023 bytes"],
  [1024, "1 KiB"],
  [1536, "1.5 KiB"],
  [1024 * 1023, "1023 KiB"],
  [128 * 2 ** 20, "128 MiB"],
  [6.4e9, "5.96 GiB"],
  [4 * 40000 * 400, "61 MiB"],
  [2 ** 62, "4 EiB"],
  [2 ** 80, "1048576 EiB"],
])("%d bytes are %s", (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});
