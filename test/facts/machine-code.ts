/**
 * Loops of 32 multiply-adds and more of which these are less than three quarters of the vector instructions, as
 * Mesa's compiler writes them for RDNA 3 (test/golden/facts/isa-navi31.txt), each with what it takes to have fewer others.
 */

/** Loops of some programs, told by their kernels. */
export interface CodeException {
  readonly kernels: readonly string[];
  /** What the other instructions are, and what is missing. */
  readonly needs: string;
}

/** The least share of multiply-adds, in percent. */
export const leastShare = 75;

export const codeExceptions: readonly CodeException[] = [
  {
    kernels: [
      "lstm T=128 B=16 C=128: lstm_2",
      "stacked lstm of 3 T=128 B=16 C=128: stacked_2",
      "stacked lstm of 3 T=128 B=16 C=128: stacked_4",
      "gru T=128 B=16 C=128: gru_2",
      "gru: gru_2",
      "lstm: lstm_3",
      "stacked_lstm: stacked_lstm_3",
      "stacked_lstm: stacked_lstm_5",
    ],
    needs:
      "addresses that move by a step: each load of a weight takes an addition, with a scale beside it a product",
  },
  {
    kernels: [
      "attention: attention_0",
      "attention: attention_2",
      "causal_attention: causal_attention_0",
      "gpt: gpt_3",
      "grouped_query_attention: grouped_query_attention_0",
    ],
    needs:
      "scales and divisions outside of sums, which capabilities for attention have to move there: operands of the scores are scaled in the loop, those of the second product are divided, and exponentials of what is copied",
  },
  {
    kernels: [
      "causal_attention: causal_attention_2",
      "gpt: gpt_5",
      "grouped_query_attention: grouped_query_attention_2",
    ],
    needs:
      "copies for triangles, with the softmax on their way: loads of what lies in memory take additions for their addresses, and exponentials and divisions are in the loop",
  },
  {
    kernels: ["layernorm 16x65536: layernorm_0", "batchnorm: batchnorm_0"],
    needs:
      "vectors that are loaded along rows of any length: these are no contractions, each element takes an addition for its address and differences beside its multiply-add",
  },
  {
    kernels: ["dft: dft_1", "dft: dft_2"],
    needs: "tables of factors in memory: sines and cosines are computed in the loop, by definition",
  },
  {
    kernels: ["n_body: n_body_2"],
    needs: "no contraction alone: powers of distances are computed in the loop, by definition",
  },
];
