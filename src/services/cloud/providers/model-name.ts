import { cloudProviders, type OrgProvider } from "../../../contracts/cloud/providers.ts";

/** A model as a config names it. */
export interface NamedModel {
  provider: string;
  model: string;
}

/** Splits `<provider>/<model>` at the first slash. A name without a slash is a model of ollama. */
export function splitModel(name: string): NamedModel {
  const at = name.indexOf("/");
  return at < 0
    ? { provider: "ollama", model: name }
    : { provider: name.slice(0, at), model: name.slice(at + 1) };
}

/** Returns the fault of a model's name, as the end of a sentence; undefined if there is none. */
export function modelFault(name: string): string | undefined {
  const { provider, model } = splitModel(name);
  if (!isProvider(provider))
    return `must begin with one of ${cloudProviders.map((one) => `${one}/`).join(", ")}`;
  return model === ""
    ? `needs the name of a model after ${provider}/, such as ${provider}/model-name`
    : undefined;
}

const isProvider = (name: string): name is OrgProvider => cloudProviders.some((one) => one === name);

/** Writes a model's name with its provider. */
export function fullModelName(name: string): string {
  const { provider, model } = splitModel(name);
  return `${provider}/${model}`;
}
