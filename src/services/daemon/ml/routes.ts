import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  MlDeleted,
  MlModel,
  MlModelDetail,
  MlModelList,
  MlPrediction,
  MlPredictionResult,
  MlRegistration,
  MlVersion,
} from "../../../contracts/daemon/models/ml.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { holdOpen } from "../../../http/call.ts";
import { pageLimit } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { operatorTenant } from "../operator-tenant.ts";
import { predict } from "./predict.ts";
import { presentDetail, presentModel } from "./present-model.ts";
import type { MlDeps } from "./register-model.ts";
import { deleteModel, registerModel } from "./register-model.ts";
import { listModels } from "./store.ts";

/** An image of 224 × 224 pixels is 150,000 numbers of about 10 to 18 bytes each. */
const BODY_BYTES_MAX = 4 * 1024 * 1024;

const ListQuery = Type.Object({
  name: Type.Optional(Type.String({ maxLength: 63, description: "Returns only versions of this model." })),
  limit: pageLimit({ default: 50, max: 200 }),
});

const VersionQuery = Type.Object({ version: Type.Optional(MlVersion) });

const tags = ["ml"];

/** Registry of ONNX models in `<data>/models`, and their predictions. */
export const mlRoutes = (deps: MlDeps) => {
  const { ml } = deps;
  return new Elysia({ prefix: "/v1/ml/models" })
    .use(jsonRoutes(BODY_BYTES_MAX))
    .get(
      "",
      async ({ query }) => {
        const rows = await listModels(ml.storage, operatorTenant, query);
        return { models: rows.map((row) => presentModel(ml.loaded, row)) };
      },
      {
        query: ListQuery,
        response: MlModelList,
        detail: { tags, operationId: "listMlModels", summary: "Lists registered models, newest first" },
      },
    )
    .post(
      "",
      async ({ body, request, call, set }) => {
        holdOpen(call, request);
        set.status = 201;
        return await registerModel(deps, body, request.signal);
      },
      {
        ...jsonBody(MlRegistration),
        response: { 201: MlModel },
        detail: {
          tags,
          operationId: "registerMlModel",
          summary: "Registers a model file below `<data>/models`",
          description:
            "The model is loaded before registration. A model that can't be loaded is rejected and not stored. Default `version`: 1.0.0.",
        },
      },
    )
    .get("/:name", async ({ params, query }) => presentDetail(ml, params.name, query.version), {
      query: VersionQuery,
      response: MlModelDetail,
      detail: {
        tags,
        operationId: "getMlModel",
        summary: "Returns one version of a model; by default the highest",
      },
    })
    .delete("/:name", async ({ params, query }) => deleteModel(deps, params.name, query.version), {
      query: VersionQuery,
      response: MlDeleted,
      detail: {
        tags,
        operationId: "deleteMlModel",
        summary: "Deletes a version of a model, or all versions",
        description: "The model files are not deleted.",
      },
    })
    .post(
      "/:name/predict",
      async ({ params, body, request, call }) => {
        holdOpen(call, request);
        return await predict(deps, params.name, body, request.signal);
      },
      {
        ...jsonBody(MlPrediction),
        response: MlPredictionResult,
        detail: {
          tags,
          operationId: "predictWithMlModel",
          summary: "Runs an ONNX model once",
          description:
            "Uses the given version. Default: the highest version. Loads the model first if needed.",
        },
      },
    );
};
