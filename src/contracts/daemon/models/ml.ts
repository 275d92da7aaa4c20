import { type Static, Type } from "@sinclair/typebox";

/** Pattern for names: letters, digits and, between them, `._-`. */
export const mlNamePattern = "^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$";
const semverPattern =
  "^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?(?:\\+[0-9A-Za-z.-]+)?$";

export const MlVersion = Type.String({
  pattern: semverPattern,
  maxLength: 64,
  description: "Semantic version.",
  fault: "must be a semantic version, such as 1.0.0",
});

export const MlStatus = Type.Union(
  [Type.Literal("registered"), Type.Literal("loading"), Type.Literal("ready"), Type.Literal("error")],
  {
    description:
      "`registered`: not loaded since the daemon's start; the first prediction loads the model. `error`: the last attempt to load it failed; see the `error` field.",
  },
);
export type MlStatus = Static<typeof MlStatus>;

export const MlSlot = Type.Object({
  name: Type.String(),
  type: Type.String({
    description: "ONNX element type, such as `float32`, `int64`, `bool` or `string`.",
  }),
  shape: Type.Array(Type.Integer(), { description: "Dimensions; -1 means any length." }),
});
export type MlSlot = Static<typeof MlSlot>;

const modelFields = {
  name: Type.String(),
  version: Type.String(),
  format: Type.Literal("onnx"),
  path: Type.String({ description: "Path of the model file, relative to `<data>/models`." }),
  task: Type.Union([Type.String(), Type.Null()]),
  metadata: Type.Record(Type.String(), Type.Unknown()),
  status: MlStatus,
  error: Type.Optional(Type.String({ description: "Reason for the status `error`." })),
  inputs: Type.Array(MlSlot),
  outputs: Type.Array(MlSlot),
  created_at: Type.String({ description: "Creation time, ISO 8601 UTC." }),
};

export const MlModel = Type.Object(modelFields);
export type MlModel = Static<typeof MlModel>;

export const MlModelDetail = Type.Object({
  ...modelFields,
  versions: Type.Array(Type.String(), { description: "All versions of the model, highest first." }),
});
export type MlModelDetail = Static<typeof MlModelDetail>;

export const MlModelList = Type.Object({ models: Type.Array(MlModel) });
export type MlModelList = Static<typeof MlModelList>;

export const MlRegistration = Type.Object(
  {
    name: Type.String({
      pattern: mlNamePattern,
      maxLength: 63,
      description: "Name of the model: 1 to 63 letters, digits, dots, dashes and underscores.",
      fault:
        "must be 1 to 63 letters, digits, dots, dashes and underscores, and begin and end with a letter or digit",
    }),
    version: Type.Optional(MlVersion),
    format: Type.Optional(Type.Literal("onnx")),
    path: Type.String({
      minLength: 1,
      maxLength: 1024,
      description:
        "Path of the model file, relative to `<data>/models`. The file must be inside that folder.",
    }),
    task: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: "Task of the model, as free text." }),
    ),
    metadata: Type.Optional(
      Type.Record(Type.String({ maxLength: 255 }), Type.Unknown(), {
        description: "Metadata of the model, at most 16 KiB as JSON.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type MlRegistration = Static<typeof MlRegistration>;

export const MlDeleted = Type.Object({
  status: Type.Literal("deleted"),
  name: Type.String(),
  versions: Type.Array(Type.String()),
});
export type MlDeleted = Static<typeof MlDeleted>;

const element = Type.Union([Type.Number(), Type.String(), Type.Boolean()]);

export const MlPrediction = Type.Object(
  {
    version: Type.Optional(MlVersion),
    inputs: Type.Record(
      Type.String({ maxLength: 255 }),
      Type.Object(
        {
          shape: Type.Array(Type.Integer({ minimum: 0 }), { maxItems: 16 }),
          data: Type.Array(element, {
            description:
              "Elements in row-major order: numbers, strings or booleans. Their count must equal the product of `shape`. Send a 64-bit integer that a JSON number cannot represent exactly as a string of digits.",
          }),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);
export type MlPrediction = Static<typeof MlPrediction>;

export const MlTensor = Type.Object({
  type: Type.String(),
  shape: Type.Array(Type.Integer()),
  data: Type.Array(element, {
    description:
      "Elements in row-major order. 64-bit integers beyond ±(2^53-1) are strings of digits; `NaN`, `Infinity` and `-Infinity` are also strings.",
  }),
});
export type MlTensor = Static<typeof MlTensor>;

export const MlPredictionResult = Type.Object({
  model: Type.String(),
  version: Type.String(),
  outputs: Type.Record(Type.String(), MlTensor),
  duration_ms: Type.Number({
    description: "Duration of the prediction in milliseconds, including the wait for other predictions.",
  }),
});
export type MlPredictionResult = Static<typeof MlPredictionResult>;
