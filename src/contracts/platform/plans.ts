import { type Static, Type } from "@sinclair/typebox";

const Micros = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** What a plan includes of a vertical's units, by `<argo>.<unit>`, and features that callers read. */
export const PlanSpec = Type.Object(
  {
    unidades: Type.Record(
      Type.String({ pattern: "^[a-z0-9_-]{1,63}\\.[a-z0-9_-]{1,63}$" }),
      Type.Object(
        {
          incluidas: Type.Integer({ minimum: 0, description: "Units of a month that cost nothing." }),
          excedente_micros: Micros,
        },
        { additionalProperties: false },
      ),
    ),
    features: Type.Record(Type.String(), Type.Unknown()),
  },
  { additionalProperties: false },
);
export type PlanSpec = Static<typeof PlanSpec>;
