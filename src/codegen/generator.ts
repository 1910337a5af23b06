/**
 * The version of what makes kernels and WGSL of programs and schedules: raised with each change that makes another text
 * of some schedule, which test/net finds. What is remembered of another version is where a search starts, never an answer.
 */
export const generatorVersion = "6";
