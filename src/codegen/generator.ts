/**
 * The version of what makes kernels and WGSL of programs and schedules: raised with each change that makes another text
 * of some schedule, which test/net finds. What is remembered of another version is where a search starts, never an answer.
 */
export const generatorVersion = "6";

/**
 * The version of what repairs and builds mappings: raised with each change that makes another schedule of some complete
 * mapping, which test/net finds. What is remembered of another version is planned again before it is an answer.
 */
export const plannerVersion = "1";
