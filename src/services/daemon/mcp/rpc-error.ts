import type { AppError } from "../../../kit/app-error.ts";

/** JSON-RPC 2.0 and MCP codes for our error codes. All other errors are server errors. */
const rpcCodes: ReadonlyMap<string, number> = new Map([
  ["parse_error", -32_700],
  ["number_not_representable", -32_700],
  ["invalid_request", -32_600],
  ["method_not_found", -32_601],
  ["invalid_params", -32_602],
  ["unknown_tool", -32_602],
  ["internal", -32_603],
  ["session_not_found", -32_001],
  ["resource_not_found", -32_002],
]);
const serverError = -32_000;

/** Codes of the revisions without sessions. They reserve the server errors of JSON-RPC, and have none for a missing resource. */
const statelessCodes: ReadonlyMap<string, number> = new Map([
  ...rpcCodes,
  ["header_mismatch", -32_020],
  ["capability_missing", -32_021],
  ["unsupported_revision", -32_022],
  ["resource_not_found", -32_602],
  ["not_acceptable", -32_600],
]);
const internalError = -32_603;

export interface RpcErrorBody {
  code: number;
  message: string;
  /** `code` is our own error code, as on every other surface. */
  data: Record<string, unknown>;
}

/** Creates the `error` of a JSON-RPC answer. */
export function rpcErrorBody(error: AppError): RpcErrorBody {
  return errorBody(error, rpcCodes.get(error.code) ?? serverError);
}

/** Like `rpcErrorBody`, for the revisions without sessions. */
export function statelessErrorBody(error: AppError): RpcErrorBody {
  return errorBody(error, statelessCodes.get(error.code) ?? internalError);
}

function errorBody({ code, message, details }: AppError, rpcCode: number): RpcErrorBody {
  const { hint, problems = [], facts } = details;
  return {
    code: rpcCode,
    message,
    data: {
      ...facts,
      code,
      ...(hint === undefined ? {} : { hint }),
      ...(problems.length === 0 ? {} : { problems }),
    },
  };
}

/** Creates the answer to a message that was refused before its id was read. */
export function renderRpcError(error: AppError): object {
  return { jsonrpc: "2.0", id: null, error: rpcErrorBody(error) };
}
