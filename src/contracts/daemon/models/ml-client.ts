import { queryString, segment } from "../../paths.ts";
import type {
  MlDeleted,
  MlModel,
  MlModelDetail,
  MlModelList,
  MlPrediction,
  MlPredictionResult,
  MlRegistration,
} from "./ml.ts";

type MlCall = <T>(method: string, path: string, body?: unknown) => Promise<T>;

/** Methods of the daemon's client for registered ONNX models. */
export function mlClient(call: MlCall) {
  const modelPath = (name: string) => `/v1/ml/models/${segment(name)}`;
  return {
    listMlModels: () => call<MlModelList>("GET", "/v1/ml/models"),
    registerMlModel: (model: MlRegistration) => call<MlModel>("POST", "/v1/ml/models", model),
    /** Without a version, returns the highest. */
    getMlModel: (name: string, query: { version?: string } = {}) =>
      call<MlModelDetail>("GET", `${modelPath(name)}${queryString(query)}`),
    /** Without a version, deletes all. */
    deleteMlModel: (name: string, query: { version?: string } = {}) =>
      call<MlDeleted>("DELETE", `${modelPath(name)}${queryString(query)}`),
    predict: (name: string, prediction: MlPrediction) =>
      call<MlPredictionResult>("POST", `${modelPath(name)}/predict`, prediction),
  };
}
