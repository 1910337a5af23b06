// Small ONNX models, written with the few fields of onnx.proto3 that they need.
import protobuf from "protobufjs";

const schema = protobuf.parse(`
syntax = "proto3";
message AttributeProto {
  string name = 1; float f = 2; int64 i = 3; repeated int64 ints = 8; int32 type = 20;
}
message NodeProto {
  repeated string input = 1; repeated string output = 2; string name = 3; string op_type = 4;
  repeated AttributeProto attribute = 5;
}
message Dimension { int64 dim_value = 1; }
message Shape { repeated Dimension dim = 1; }
message TensorType { int32 elem_type = 1; Shape shape = 2; }
message TypeProto { TensorType tensor_type = 1; }
message ValueInfoProto { string name = 1; TypeProto type = 2; }
message TensorProto {
  repeated int64 dims = 1; int32 data_type = 2; repeated int64 int64_data = 7; string name = 8;
}
message GraphProto {
  repeated NodeProto node = 1; string name = 2; repeated TensorProto initializer = 5;
  repeated ValueInfoProto input = 11; repeated ValueInfoProto output = 12;
}
message OperatorSetIdProto { string domain = 1; int64 version = 2; }
message ModelProto {
  int64 ir_version = 1; GraphProto graph = 7; repeated OperatorSetIdProto opset_import = 8;
}`).root;

const elementTypes = { float32: 1, int32: 6 };

/** @param {string} name @param {readonly number[]} shape @param {"float32" | "int32"} type */
function valueInfo(name, shape, type) {
  const dim = shape.map((extent) => ({ dimValue: extent }));
  return { name, type: { tensorType: { elemType: elementTypes[type], shape: { dim } } } };
}

/** @param {string} name @param {number | readonly number[]} value */
function attribute(name, value) {
  if (typeof value !== "number") return { name, ints: [...value], type: 7 };
  return Number.isInteger(value) ? { name, i: value, type: 2 } : { name, f: value, type: 1 };
}

/**
 * The model of a case as bytes.
 * @param {import("../cases/case.js").Case} benchCase
 * @param {readonly import("../cases/case.js").OnnxNode[]} nodes
 * @returns {Uint8Array}
 */
export function onnxModel(benchCase, nodes) {
  const { inputs, integers = {}, output, constants = {} } = benchCase;
  const model = {
    irVersion: 10,
    opsetImport: [{ domain: "", version: 21 }],
    graph: {
      name: "case",
      node: nodes.map(({ op, inputs: input, output: written, attributes = {} }, at) => ({
        name: `${op}_${at}`,
        opType: op,
        input: [...input],
        output: [written],
        attribute: Object.entries(attributes).map(([name, value]) => attribute(name, value)),
      })),
      initializer: Object.entries(constants).map(([name, values]) => ({
        name,
        dims: [values.length],
        dataType: 7,
        int64Data: [...values],
      })),
      input: Object.entries(inputs).map(([name, shape]) =>
        valueInfo(name, shape, name in integers ? "int32" : "float32"),
      ),
      output: [valueInfo(output.name, output.shape, "float32")],
    },
  };
  const type = schema.lookupType("ModelProto");
  return type.encode(type.fromObject(model)).finish();
}
