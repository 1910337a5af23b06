/** The programs of `examples/`, in the groups of its README. */
import readme from "../../examples/README.md?raw";

/** A program to start from. */
export interface Example {
  readonly name: string;
  /** What it computes, in a few words. */
  readonly about: string;
  readonly source: string;
}

export interface ExampleGroup {
  readonly title: string;
  readonly examples: readonly Example[];
}

const sources: Readonly<Record<string, string>> = import.meta.glob("../../examples/*.tc", {
  query: "?raw",
  import: "default",
  eager: true,
});

function sourceOf(name: string): string | undefined {
  return sources[`../../examples/${name}.tc`];
}

/** Reads the tables of the README: a heading, then rows `| [name](name.tc) | what it computes |`. */
function readGroups(markdown: string): readonly ExampleGroup[] {
  return markdown.split(/^## /m).flatMap((section) => {
    const [title = "", ...lines] = section.split("\n");
    const examples = lines.flatMap((line): readonly Example[] => {
      const [, name = "", about = ""] =
        /^\| \[(\w+)\]\(\w+\.tc\) *\| ([^|]*?) *\|/.exec(line) ?? [];
      const source = sourceOf(name);
      return source === undefined ? [] : [{ name, about: about.replaceAll("`", ""), source }];
    });
    return examples.length === 0 ? [] : [{ title, examples }];
  });
}

export const exampleGroups: readonly ExampleGroup[] = readGroups(readme);

/** What a visitor sees first. */
export const firstExample: string = sourceOf("softmax") ?? "";
