/** The rehearsal's own sentences in one language. Texts that they quote, and names of tools, stay as they are. */
export interface Phrases {
  said: (query: string) => string;
  heardNothing: string;
  noTools: string;
  noToolMeant: (tools: string) => string;
  request: (request: string) => string;
  missing: (tool: string, names: readonly string[]) => string;
  failed: (tool: string, error: string) => string;
  foundNothing: (tool: string) => string;
  found: (tool: string, passages: string) => string;
  answered: (tool: string, data: string) => string;
  passages: (passages: string) => string;
  /** No passage has a word of the question. */
  nearest: (passages: string) => string;
  saidEarlier: (message: string) => string;
  nothingEarlier: string;
}

const english: Phrases = {
  said: (query) => `You said: ${query}.`,
  heardNothing: "I heard nothing.",
  noTools: "This agent has no tools, so there is nothing more to show.",
  noToolMeant: (tools) => `No tool of the agent matches this; it has ${tools}.`,
  request: (request) => `The request is: ${request}.`,
  missing: (tool, names) =>
    `I would call ${tool}, but your message does not say what ${names.join(" and ")} should be.`,
  failed: (tool, error) => `${tool} failed: ${error}`,
  foundNothing: (tool) => `${tool} found nothing.`,
  found: (tool, passages) => `${tool} found: ${passages}.`,
  answered: (tool, data) => `${tool} answered: ${data}`,
  passages: (passages) => `The documents say: ${passages}.`,
  nearest: (passages) => `No passage has a word of the question. The nearest says: ${passages}.`,
  saidEarlier: (message) => `You said earlier: ${message}.`,
  nothingEarlier: "You have said nothing earlier in this conversation.",
};

const spanish: Phrases = {
  said: (query) => `Ha dicho: ${query}.`,
  heardNothing: "No he oído nada.",
  noTools: "Este agente no tiene herramientas, así que no hay más que mostrar.",
  noToolMeant: (tools) => `Ninguna herramienta del agente parece adecuada; tiene ${tools}.`,
  request: (request) => `La petición es: ${request}.`,
  missing: (tool, names) => `Llamaría a ${tool}, pero su mensaje no dice ${names.join(" ni ")}.`,
  failed: (tool, error) => `${tool} ha fallado: ${error}`,
  foundNothing: (tool) => `${tool} no ha encontrado nada.`,
  found: (tool, passages) => `${tool} ha encontrado: ${passages}.`,
  answered: (tool, data) => `${tool} ha respondido: ${data}`,
  passages: (passages) => `Los documentos dicen: ${passages}.`,
  nearest: (passages) => `Ningún pasaje tiene una palabra de la pregunta. El más cercano dice: ${passages}.`,
  saidEarlier: (message) => `Antes ha dicho: ${message}.`,
  nothingEarlier: "No ha dicho nada antes en esta conversación.",
};

const french: Phrases = {
  said: (query) => `Vous avez dit : ${query}.`,
  heardNothing: "Je n'ai rien entendu.",
  noTools: "Cet agent n'a pas d'outils : il n'y a rien de plus à montrer.",
  noToolMeant: (tools) => `Aucun outil de l'agent ne semble convenir ; il a ${tools}.`,
  request: (request) => `La demande est : ${request}.`,
  missing: (tool, names) => `J'appellerais ${tool}, mais votre message ne dit pas ${names.join(" ni ")}.`,
  failed: (tool, error) => `${tool} a échoué : ${error}`,
  foundNothing: (tool) => `${tool} n'a rien trouvé.`,
  found: (tool, passages) => `${tool} a trouvé : ${passages}.`,
  answered: (tool, data) => `${tool} a répondu : ${data}`,
  passages: (passages) => `Les documents disent : ${passages}.`,
  nearest: (passages) => `Aucun passage n'a un mot de la question. Le plus proche dit : ${passages}.`,
  saidEarlier: (message) => `Vous avez dit plus tôt : ${message}.`,
  nothingEarlier: "Vous n'avez rien dit plus tôt dans cette conversation.",
};

const german: Phrases = {
  said: (query) => `Sie sagten: ${query}.`,
  heardNothing: "Ich habe nichts gehört.",
  noTools: "Dieser Agent hat keine Werkzeuge; mehr gibt es nicht zu zeigen.",
  noToolMeant: (tools) => `Keines der Werkzeuge des Agenten scheint gemeint zu sein; er hat ${tools}.`,
  request: (request) => `Die Anfrage lautet: ${request}.`,
  missing: (tool, names) =>
    `Ich würde ${tool} aufrufen, aber in Ihrer Nachricht fehlt ${names.join(" und ")}.`,
  failed: (tool, error) => `${tool} ist gescheitert: ${error}`,
  foundNothing: (tool) => `${tool} hat nichts gefunden.`,
  found: (tool, passages) => `${tool} hat gefunden: ${passages}.`,
  answered: (tool, data) => `${tool} hat geantwortet: ${data}`,
  passages: (passages) => `In den Dokumenten steht: ${passages}.`,
  nearest: (passages) =>
    `Keine Stelle enthält ein Wort der Frage. In der nächstgelegenen steht: ${passages}.`,
  saidEarlier: (message) => `Sie sagten vorhin: ${message}.`,
  nothingEarlier: "Sie haben in diesem Gespräch vorher nichts gesagt.",
};

/** The languages that the rehearsal has sentences in, by their English names. */
export const languages: ReadonlyMap<string, Phrases> = new Map([
  ["english", english],
  ["spanish", spanish],
  ["french", french],
  ["german", german],
]);

export const usualPhrases = english;
