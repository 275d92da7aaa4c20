import { codeAndMessage, type ErrorForm } from "../../http/errors/error-answer.ts";
import { renderRpcError } from "./mcp/rpc-error.ts";
import { renderOpenAiError } from "./openai/openai-error.ts";
import { upstreamDetails } from "./upstream-details.ts";

/** Error bodies of the daemon. Routes of other protocols use the body that their clients expect. */
export const daemonErrorForm: ErrorForm = {
  schema: codeAndMessage.schema,
  render(error, path) {
    if (isOpenAiPath(path)) return renderOpenAiError(error);
    if (isMcpPath(path)) return renderRpcError(error);
    const body = codeAndMessage.render(error, path);
    return isTenantsPath(path) ? body : { ...body, ...upstreamDetails(error) };
  },
};

/** The platform and the cloud run their tenants' agents there. */
const isTenantsPath = (path: string) => path.startsWith("/v1/internal/");

function isOpenAiPath(path: string): boolean {
  return /^\/v1\/(?:models|chat|responses|embeddings|mesh\/completion)(?:\/|$)/.test(path);
}

function isMcpPath(path: string): boolean {
  return path === "/mcp" || path === "/mcp/";
}
