// jax-js: jitted; lazy, so results are kept until they have been waited for.
export const name = "jax-js";

/** @returns {Promise<import("./peer.js").Peer>} */
export async function open() {
  const jax = await import("@jax-js/jax");
  await jax.init("webgpu");
  jax.defaultDevice("webgpu");
  return {
    prepare: async (benchCase, inputs) => {
      if (benchCase.jax === undefined) return null;
      const run = jax.jit(benchCase.jax(jax));
      const given = Object.entries(inputs).map(([name, data]) =>
        jax.numpy.array(data, { shape: [...benchCase.inputs[name]] }),
      );
      await jax.blockUntilReady(given);
      return {
        call: () => run(...given.map((a) => a.ref)),
        settle: async (results) => {
          await jax.blockUntilReady(results);
        },
        read: async (result) => await result.ref.data(),
        release: (results) => {
          for (const r of results) r.dispose();
        },
        dispose: () => {
          for (const a of given) a.dispose();
        },
      };
    },
  };
}
