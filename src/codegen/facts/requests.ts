/**
 * What a request of a subgroup of 32 costs memory: sectors that it touches, and wavefronts that banks of
 * workgroup memory need to answer it.
 */

/** Lanes of a request: GPUs with wider subgroups send halves, narrower ones send two together. */
export const requestLanes = 32;

/** What memory is read and written by, in bytes. */
export const sectorBytes = 32;

/** Banks of workgroup memory, each of which answers for one unit of bytes in a wavefront. */
export interface BankModel {
  readonly name: "32x4" | "16x4" | "16x16";
  readonly banks: number;
  readonly bytes: number;
  /** Of a request, that are answered together: half of it where there are half as many banks. */
  readonly lanes: number;
}

/** The models that are looked at: makers tell the first, and sources disagree about others. */
export const bankModels: readonly BankModel[] = [
  { name: "32x4", banks: 32, bytes: 4, lanes: 32 },
  { name: "16x4", banks: 16, bytes: 4, lanes: 16 },
  { name: "16x16", banks: 16, bytes: 16, lanes: 32 },
];

/** The first bytes that lanes touch, in ascending order. */
export function ascending(bytes: readonly number[]): readonly number[] {
  for (let n = 1; n < bytes.length; n++) {
    if ((bytes[n] as number) < (bytes[n - 1] as number)) return [...bytes].sort((a, b) => a - b);
  }
  return bytes;
}

/** The different units of so many bytes that accesses of `size` bytes touch, ascending. */
export function unitsOf(starts: readonly number[], size: number, unit: number): readonly number[] {
  const units: number[] = [];
  let last = -1;
  for (const start of starts) {
    const end = Math.floor((start + size - 1) / unit);
    for (let u = Math.max(last + 1, Math.floor(start / unit)); u <= end; u++) units.push(u);
    last = Math.max(last, end);
  }
  return units;
}

/** The bytes that accesses touch, each once; `starts` ascend. */
export function distinctBytes(starts: readonly number[], size: number): number {
  let total = 0;
  let end = 0;
  for (const start of starts) {
    total += Math.max(0, start + size - Math.max(start, end));
    end = Math.max(end, start + size);
  }
  return total;
}

/** How often the fullest bank has to answer: lanes that want the same unit share an answer. */
export function wavefronts(starts: readonly number[], size: number, model: BankModel): number {
  const answers = new Array<number>(model.banks).fill(0);
  let most = 0;
  for (const unit of unitsOf(starts, size, model.bytes)) {
    const bank = unit % model.banks;
    const count = (answers[bank] as number) + 1;
    answers[bank] = count;
    if (count > most) most = count;
  }
  return most;
}

/** The most lanes that update one address at once; `starts` ascend. */
export function contention(starts: readonly number[]): number {
  let most = 0;
  let same = 0;
  for (const [n, start] of starts.entries()) {
    same = n > 0 && starts[n - 1] === start ? same + 1 : 1;
    most = Math.max(most, same);
  }
  return most;
}
