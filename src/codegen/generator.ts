/**
 * The version of what makes kernels of mappings: raised whenever the same mapping gives another text. What is remembered
 * of another version is where a search starts, never an answer.
 */
export const generatorVersion = "1";
