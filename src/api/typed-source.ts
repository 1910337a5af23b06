/**
 * What a literal source text declares, as types: the names of its definitions, and the names and
 * types of their tensors. Only heads are read; the compiler checks the rest. A text that is not known
 * when the program is checked, or whose heads cannot be read, has no signatures.
 *
 * Types that walk over a text are tail-recursive, since TypeScript follows those 1000 steps deep and
 * others 50; the longest walks take a step for each comment, brace or tensor.
 */

/** The signatures of a text's definitions, in their order; null where they cannot be known. */
export type SignaturesOf<Source extends string> =
  IsLiteral<Source> extends true ? Definitions<WithoutComments<Source>> : null;

/** A definition's head. */
export interface Signature {
  readonly name: string;
  readonly parameters: readonly Declared[];
  readonly results: readonly Declared[];
}

/** A declared tensor; a result may leave its type out. */
export interface Declared {
  readonly name: string;
  readonly type: ScalarWord | null;
  /** With dimensions; null without a type. */
  readonly isTensor: boolean | null;
  /** The names in its dimensions. */
  readonly sizes: string;
}

/** The typed arrays that carry the elements of a type. */
interface Arrays {
  readonly float: Float32Array;
  readonly float32: Float32Array;
  readonly half: Float32Array;
  readonly float16: Float32Array;
  readonly int: Int32Array;
  readonly int32: Int32Array;
  readonly uint32: Uint32Array;
  readonly bool: Uint32Array;
  readonly int8: Int8Array;
  readonly uint8: Uint8Array;
  readonly int16: Int16Array;
  readonly uint16: Uint16Array;
}

/** The scalar types that a tensor may have. */
export type ScalarWord = keyof Arrays;

/** The typed array for the elements of a declared tensor; any of them without a declaration. */
export type ArrayOf<Tensor extends Declared> = Tensor["type"] extends infer Word extends ScalarWord
  ? Arrays[Word]
  : Arrays[ScalarWord];

/**
 * The names of the parameters that every call has to give. Integers need not be among the arguments:
 * they may be sizes.
 */
export type RequiredOf<Head extends Signature> = Exclude<
  Head["parameters"][number],
  { readonly type: IntegerWord; readonly isTensor: false }
>["name"];

/** The names that a call may give: parameters, and results that are updated in place. */
export type GivenOf<Head extends Signature> = Head["parameters" | "results"][number]["name"];

/** The sizes of a definition: names in dimensions, and integers that calls may leave out. */
export type SizesOf<Head extends Signature> =
  | Head["parameters" | "results"][number]["sizes"]
  | Exclude<Head["parameters"][number]["name"], RequiredOf<Head>>;

/** What is declared under a name. */
export type DeclaredAs<Head extends Signature, Name extends string> =
  Extract<Head["parameters"][number], { readonly name: Name }> extends infer Parameter extends
    Declared
    ? [Parameter] extends [never]
      ? Extract<Head["results"][number], { readonly name: Name }>
      : Parameter
    : never;

type IntegerWord = Exclude<ScalarWord, "float" | "float32" | "half" | "float16" | "bool">;

/** False for `string` and for patterns like `def ${string}`. */
type IsLiteral<Text extends string> = Record<never, never> extends Record<Text, 1> ? false : true;

/** Beyond so many steps of a walk the text counts as unreadable. */
type StepLimit = 900;

type WithoutComments<
  Text extends string,
  Done extends string = "",
  Steps extends readonly 0[] = [],
> = Text extends `${infer Code}#${infer Comment}`
  ? Steps["length"] extends StepLimit
    ? "unreadable"
    : Comment extends `${string}\n${infer Rest}`
      ? WithoutComments<Rest, `${Done}${Code}\n`, [...Steps, 0]>
      : `${Done}${Code}`
  : `${Done}${Text}`;

type Definitions<Text extends string, Done extends readonly Signature[] = []> =
  TrimStart<Text> extends infer Trimmed
    ? Trimmed extends ""
      ? Done
      : Trimmed extends `def${White}${infer Name}(${infer P}->${infer R}{${infer Body}`
        ? Head<Trim<Name>, Declarations<Inside<P>>, Declarations<Inside<R>>> extends infer Found
          ? Found extends Signature
            ? Definitions<After<Body, "{", "}">, [...Done, Found]>
            : null
          : never
        : null
    : never;

/** A signature of parts that could be read; else null. */
type Head<Name extends string, Parameters, Results> =
  IsName<Name> extends true
    ? Parameters extends readonly Typed[]
      ? Results extends readonly Declared[]
        ? { readonly name: Name; readonly parameters: Parameters; readonly results: Results }
        : null
      : null
    : null;

interface Typed extends Declared {
  readonly type: ScalarWord;
}

/** What stands before the last parenthesis, with spaces for line breaks: `(` and `)` are off. */
type Inside<Text extends string> =
  Trim<OnOneLine<Text>> extends `${infer Inner})`
    ? Inner extends `(${infer Items}`
      ? Items
      : Inner
    : "unreadable)";

/** `type name, ...`, or names alone. */
type Declarations<Text extends string, Done extends readonly Declared[] = []> =
  Trim<Text> extends infer Items extends string
    ? Items extends ""
      ? Done
      : FirstDeclaration<Items> extends readonly [
            infer First extends Declared,
            infer Rest extends string | null,
          ]
        ? IsName<First["name"]> extends true
          ? Rest extends string
            ? NotEmpty<Rest> extends true
              ? Declarations<Rest, [...Done, First]>
              : null
            : [...Done, First]
          : null
        : null
    : never;

type NotEmpty<Text extends string> = Trim<Text> extends "" ? false : true;

/** The first declaration of a list, and the text after its comma, if there is one. */
type FirstDeclaration<Items extends string> = Items extends `${infer Before}(${infer Dimensions}`
  ? Trim<Before> extends infer Word extends ScalarWord
    ? After<Dimensions, "(", ")"> extends infer Rest extends string
      ? Named<Rest, Word, Dimensions extends `${infer Inner}${Rest}` ? NamesIn<Inner> : string>
      : never
    : PlainDeclaration<Items>
  : PlainDeclaration<Items>;

type PlainDeclaration<Items extends string> = Items extends `${infer First},${infer Rest}`
  ? [Plain<Trim<First>>, Rest]
  : [Plain<Trim<Items>>, null];

type Plain<Text extends string> = Text extends `${infer Word} ${infer Name}`
  ? Word extends ScalarWord
    ? {
        readonly name: Trim<Name>;
        readonly type: Word;
        readonly isTensor: false;
        readonly sizes: never;
      }
    : null
  : { readonly name: Text; readonly type: null; readonly isTensor: null; readonly sizes: never };

type Named<
  Text extends string,
  Word extends ScalarWord,
  Sizes extends string,
> = Text extends `${infer Name},${infer Rest}`
  ? [TensorNamed<Name, Word, Sizes>, Rest]
  : [TensorNamed<Text, Word, Sizes>, null];

type TensorNamed<Text extends string, Word extends ScalarWord, Sizes extends string> = {
  readonly name: Trim<Text>;
  readonly type: Word;
  readonly isTensor: true;
  readonly sizes: Sizes;
};

/** The names in dimensions; any where they are too long to be read. */
type NamesIn<
  Text extends string,
  Word extends string = "",
  Found extends string = never,
  Steps extends readonly 0[] = [],
> = Steps["length"] extends StepLimit
  ? string
  : Text extends `${infer Character}${infer Rest}`
    ? Character extends White | "(" | ")" | "," | "+" | "-" | "*" | "/" | "%"
      ? NamesIn<Rest, "", Found | NameOf<Word>, [...Steps, 0]>
      : NamesIn<Rest, `${Word}${Character}`, Found, [...Steps, 0]>
    : Found | NameOf<Word>;

type NameOf<Word extends string> = Word extends "" | `${number}` ? never : Word;

/** What follows the bracket that closes one opened before the text. */
type After<
  Text extends string,
  Open extends string,
  Close extends string,
  Depth extends readonly 0[] = [],
  Steps extends readonly 0[] = [],
> = Steps["length"] extends StepLimit
  ? "unreadable"
  : Text extends `${infer Inside}${Close}${infer Rest}`
    ? Deepened<Inside, Open, Depth> extends readonly [0, ...infer Outer extends readonly 0[]]
      ? After<Rest, Open, Close, Outer, [...Steps, 0]>
      : Rest
    : "unreadable";

type Deepened<
  Text extends string,
  Open extends string,
  Depth extends readonly 0[],
> = Text extends `${string}${Open}${infer Rest}` ? Deepened<Rest, Open, [...Depth, 0]> : Depth;

type White = " " | "\n" | "\t" | "\r";

type TrimStart<
  Text extends string,
  Steps extends readonly 0[] = [],
> = Text extends `${White}${infer Rest}`
  ? Steps["length"] extends StepLimit
    ? "unreadable"
    : Rest extends `       ${infer Far}`
      ? TrimStart<Far, [...Steps, 0]>
      : TrimStart<Rest, [...Steps, 0]>
  : Text;

type TrimEnd<
  Text extends string,
  Steps extends readonly 0[] = [],
> = Text extends `${infer Rest}${White}`
  ? Steps["length"] extends StepLimit
    ? "unreadable"
    : TrimEnd<Rest, [...Steps, 0]>
  : Text;

type Trim<Text extends string> = TrimEnd<TrimStart<Text>>;

type OnOneLine<
  Text extends string,
  Done extends string = "",
> = Text extends `${infer Line}\n${infer Rest}`
  ? OnOneLine<Rest, `${Done}${Line} `>
  : Text extends `${infer Line}\t${infer Rest}`
    ? OnOneLine<`${Line} ${Rest}`, Done>
    : Text extends `${infer Line}\r${infer Rest}`
      ? OnOneLine<`${Line} ${Rest}`, Done>
      : `${Done}${Text}`;

type IsName<Text extends string> = Text extends ""
  ? false
  : Text extends `${string}${White | "(" | ")" | "{" | "}" | "," | ":"}${string}`
    ? false
    : true;
