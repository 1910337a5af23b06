import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import {
  countRecords,
  exportRecords,
  forgetRecords,
  importRecords,
  recordCounts,
  recordsFile,
  recordsSaid,
} from "./records-state.ts";

/** What this browser remembers of tuning, and how to move it elsewhere. */
export function RecordsPanel(): JSX.Element {
  useEffect(() => void countRecords(), []);
  const counts = recordCounts.value;
  const file = recordsFile.value;
  const none = counts === null || counts.records === 0;
  return (
    <section class="records" aria-labelledby="records-title">
      <h2 class="small-title" id="records-title">
        Remembered in this browser
      </h2>
      <p>{none ? "Nothing yet." : countsText(counts)}</p>
      {file === null ? null : (
        <p class="faint">
          Those of <code>{file}</code> are among them, and what is found here goes there, too.
        </p>
      )}
      <p class="actions">
        <button type="button" class="small" disabled={none} onClick={() => void exportRecords()}>
          Export
        </button>
        <label class="button small">
          Import
          <input
            type="file"
            accept=".jsonl"
            onChange={(event) => {
              const { currentTarget: input } = event;
              const file = input.files?.[0];
              // The same file may be chosen again.
              if (file !== undefined) void importRecords(file).then(() => (input.value = ""));
            }}
          />
        </label>
        <button type="button" class="small" disabled={none} onClick={() => void forgetRecords()}>
          Forget all
        </button>
      </p>
      <p role="status">{recordsSaid.value}</p>
      <p class="faint">
        <code>tc-compile db import</code> and <code>export</code> read and write the same files.
      </p>
    </section>
  );
}

function countsText({ records, tuned }: NonNullable<typeof recordCounts.value>): string {
  const programs = tuned === 1 ? "one program at its sizes" : `${tuned} programs at their sizes`;
  return `${records.toLocaleString("en")} records of ${programs}: what is known is not measured again.`;
}
