import type * as english from "../../platform/agent-templates.ts";

export const templateAgents: typeof english.templateAgents = {
  plain: {
    description: "Responde preguntas.",
    prompt: "Eres un asistente útil. Responde con brevedad.",
  },
  documents: {
    description: "Responde a partir de documentos.",
    prompt:
      "Respondes a partir de nuestros documentos. Busca en ellos antes de responder, y di dónde está la respuesta. Si no dicen nada, dilo.",
  },
  tools: {
    description: "Responde con ayuda de herramientas.",
    prompt: "Eres un asistente útil. Usa tus herramientas en lugar de adivinar.",
  },
  memory: {
    description: "Recuerda la conversación.",
    prompt: "Eres un asistente útil. Sabes lo que se dijo antes en esta conversación.",
  },
  approval: {
    description: "Pregunta a una persona antes de actuar.",
    prompt:
      "Eres un asistente cuidadoso. Usa tus herramientas para lo que pide el usuario; una persona aprueba cada llamada.",
  },
};
