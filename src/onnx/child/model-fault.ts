import type { OnnxFault } from "../process/messages.ts";

const reasonCharsMax = 300;

/** A problem with a model or its input; `message` continues a sentence that begins with the model's name. */
export class ModelFault extends Error {
  readonly code: OnnxFault["code"];

  constructor(code: OnnxFault["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** The message of ONNX Runtime, without its source locations and at most 300 characters. */
export function reasonOf(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  if (/bad_alloc|out of memory|Array buffer allocation|memory access out of bounds/i.test(message)) {
    return "it needs more memory than models may have";
  }
  const reason = message
    .replace(/^.*?ERROR_MESSAGE:\s*/s, "")
    .replace(/\S*\/onnxruntime\/\S+:\d+\s+(?:[\w:<>&*, ]+\([^)]*\)(?: const)?\s*)?/g, "")
    .replace(/\[ONNXRuntimeError\] : \d+ : \w+ : /g, "")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/\.$/, "");
  return reason === "" ? "it gave no reason" : reason.slice(0, reasonCharsMax);
}

/** The fault as it is sent to the parent process. */
export function faultOf(thrown: unknown, code: OnnxFault["code"]): OnnxFault {
  if (thrown instanceof ModelFault) return { code: thrown.code, message: thrown.message };
  return { code, message: `was refused by ONNX Runtime: ${reasonOf(thrown)}` };
}
