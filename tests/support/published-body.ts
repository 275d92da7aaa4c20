import Ajv2020 from "ajv/dist/2020.js";
import bedrock from "./cloud-apis/bedrock.json" with { type: "json" };
import agents from "./cloud-apis/bedrock-agents.json" with { type: "json" };
import iam from "./cloud-apis/iam.json" with { type: "json" };
import armor from "./cloud-apis/model-armor.json" with { type: "json" };
import s3Vectors from "./cloud-apis/s3-vectors.json" with { type: "json" };
import vertex from "./cloud-apis/vertex-ai.json" with { type: "json" };

const descriptions = { bedrock, agents, iam, armor, s3Vectors, vertex };

const ajv = new Ajv2020({ strict: false, allErrors: true });
for (const [name, description] of Object.entries(descriptions)) ajv.addSchema(description, name);

/** Returns what a body has against a cloud's published description of it, such as `vertex/RagCorpus`; undefined if nothing. */
export function bodyFault(shape: string, body: unknown): string | undefined {
  const [name, schema] = shape.split("/");
  const validate = ajv.getSchema(`${name}#/schemas/${schema}`);
  if (validate === undefined) throw new Error(`no description of ${shape}`);
  if (validate(body) === true) return undefined;
  return (validate.errors ?? [])
    .map(({ instancePath, message, params }) => `${instancePath || "/"} ${message} ${JSON.stringify(params)}`)
    .join("; ");
}
