/** How many dispatches were recorded on a device since the last question. @param {GPUDevice} device */
export function countDispatches(device) {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  const prototype = Object.getPrototypeOf(pass);
  pass.end();
  encoder.finish();
  let count = 0;
  for (const name of ["dispatchWorkgroups", "dispatchWorkgroupsIndirect"]) {
    const original = prototype[name];
    prototype[name] = function (...args) {
      count += 1;
      return original.apply(this, args);
    };
  }
  return () => {
    const found = count;
    count = 0;
    return found;
  };
}
