/** The page of registered ML models. */
export const mlTexts = {
  title: "ML models",
  lead: "ONNX models registered with this daemon. Agents use them through the provider onnx. Programs call /v1/ml/models.",
  none: "No ML models are registered",
  noneHint: "Copy an ONNX file into the models folder of the data folder, then register it:",
  command: (origin: string) => `curl -X POST ${origin}/v1/ml/models \\
  -H 'content-type: application/json' \\
  -d '{"name": "sentiment", "path": "sentiment.onnx"}'`,
  status: { registered: "Registered", loading: "Loading", ready: "Ready", error: "Error" },
  format: "Format",
  task: "Task",
  file: "File",
  inputs: "Inputs",
  outputs: "Outputs",
  usedBy: "Used by",
  unused: "no agent or collection",
  registered: "Registered",
  values: (name: string) => `Inputs of ${name}`,
  valuesHint: "JSON: for each input its shape and its values in row-major order.",
  notJson: (reason: string) => `The inputs are not valid JSON: ${reason}`,
  predict: "Run prediction",
  failed: "The prediction failed",
  took: (time: string) => `Predicted in ${time}`,
};
