import type * as english from "../manifest-descriptions.ts";

/** Descriptions of the JSON Schemas of agents, pipelines and guardrails, by their English text. */
const descriptions: Readonly<Record<string, string>> = {
  "An agent: who it is, which models answer, what it may do and remember.":
    "Un agente: quién es, qué modelos responden, qué puede hacer y recordar.",
  "The version of this format.": "La versión de este formato.",
  "What the document describes.": "Lo que describe el documento.",
  "Who the agent is to the system.": "Quién es el agente para el sistema.",
  "The agent's name in routes; unique among loaded agents.":
    "El nombre del agente en las rutas; único entre los agentes cargados.",
  "Semantic version.": "Versión semántica.",
  "Logical grouping.": "Agrupación lógica.",
  "Free labels.": "Etiquetas libres.",
  "The label's value.": "El valor de la etiqueta.",
  "What the agent does.": "Qué hace el agente.",
  "Who the agent is to people.": "Quién es el agente para las personas.",
  "The name people see.": "El nombre que ven las personas.",
  "The part it plays; available to prompts.": "El papel que desempeña; disponible para los prompts.",
  "Its manner; available to prompts.": "Su manera de ser; disponible para los prompts.",
  "Address of a picture, or an emoji.": "Dirección de una imagen, o un emoji.",
  "The models. Without it the agent runs on the default model: see `spec.model_defaults` of runtime.yaml.":
    "Los modelos. Sin esto, el agente usa el modelo predeterminado: ver `spec.model_defaults` de runtime.yaml.",
  "The first candidate.": "El primer candidato.",
  "A provider of the registry (`openai`, `ollama`, `anthropic` …) or the name of an entry of providers.yaml.":
    "Un proveedor del registro (`openai`, `ollama`, `anthropic` …) o el nombre de una entrada de providers.yaml.",
  "The model's name at the provider.": "El nombre del modelo en el proveedor.",
  "The server's address. Self-hosted providers need one here, in providers.yaml or in the environment.":
    "La dirección del servidor. Los proveedores propios necesitan una aquí, en providers.yaml o en el entorno.",
  "Name of the environment variable that holds the key; never the key itself.":
    "Nombre de la variable de entorno que contiene la clave; nunca la clave misma.",
  "Longest model call, in seconds.": "Llamada más larga al modelo, en segundos.",
  "What the model can read and write at once, in tokens, where the provider's default is wrong.":
    "Lo que el modelo puede leer y escribir a la vez, en tokens, si el valor del proveedor no es correcto.",
  "Sampling parameters; what a provider does not know is refused when the agent loads.":
    "Parámetros de muestreo; los que un proveedor no conoce se rechazan al cargar el agente.",
  "Randomness of the answer.": "Aleatoriedad de la respuesta.",
  "Share of probability mass that is sampled from.":
    "Parte de la masa de probabilidad de la que se muestrea.",
  "Number of likeliest tokens that are sampled from.":
    "Cantidad de tokens más probables de los que se muestrea.",
  "Longest answer, in tokens.": "Respuesta más larga, en tokens.",
  "Lowers the odds of tokens by how often they stand already.":
    "Reduce la probabilidad de los tokens según cuántas veces ya aparecen.",
  "Lowers the odds of tokens that stand already.": "Reduce la probabilidad de los tokens que ya aparecen.",
  "Makes answers repeatable where the provider can.": "Hace repetibles las respuestas si el proveedor puede.",
  "How long a reasoning model thinks before it answers.":
    "Cuánto piensa un modelo de razonamiento antes de responder.",
  "False: the model asks for one tool call at a time.":
    "False: el modelo pide una llamada a herramientas por vez.",
  "Texts that end the answer where they would begin.": "Textos que terminan la respuesta donde empezarían.",
  "A text that ends the answer.": "Un texto que termina la respuesta.",
  "The candidate tried when the first fails.": "El candidato que se prueba cuando falla el primero.",
  "More candidates, tried in order after `fallback`.":
    "Más candidatos, que se prueban en orden después de `fallback`.",
  "A further candidate.": "Otro candidato.",
  "The choice among the candidates.": "La elección entre los candidatos.",
  "How a candidate is chosen; `cost_optimized` when a local and a hosted provider were configured from the environment.":
    "Cómo se elige un candidato; `cost_optimized` cuando el entorno configura un proveedor local y uno alojado.",
  "Seconds between probes of the candidates.": "Segundos entre comprobaciones de los candidatos.",
  "An own choice of models per role: `planner`, `worker`, `synthesizer`, `supervisor`, `summarizer`, `stage:<name>`.":
    "Modelos propios por rol: `planner`, `worker`, `synthesizer`, `supervisor`, `summarizer`, `stage:<name>`.",
  "The models that may take this role, in order.": "Los modelos que pueden tomar este rol, en orden.",
  "A candidate of this role.": "Un candidato de este rol.",
  "How a candidate is chosen.": "Cómo se elige un candidato.",
  "What the model is told.": "Lo que se le dice al modelo.",
  "Jinja2 template of the system prompt.": "Plantilla Jinja2 del prompt del sistema.",
  "Jinja2 template that is rendered before the user's message.":
    "Plantilla Jinja2 que se inserta antes del mensaje del usuario.",
  "Templates that the others may include by name.": "Plantillas que las demás pueden incluir por nombre.",
  "A Jinja2 template.": "Una plantilla Jinja2.",
  "How an answer is reached.": "Cómo se llega a una respuesta.",
  "How the agent reaches an answer.": "Cómo llega el agente a una respuesta.",
  "Model calls of the reasoning loop.": "Llamadas al modelo del ciclo de razonamiento.",
  "Longest run, in seconds.": "Ejecución más larga, en segundos.",
  "Another spelling of `timeout_seconds`.": "Otra forma de escribir `timeout_seconds`.",
  "Tokens of a tool's result that the model sees; the rest is cut.":
    "Tokens del resultado de una herramienta que ve el modelo; el resto se corta.",
  "Hard limit of the tokens of a run, all model calls together; null: none.":
    "Límite estricto de tokens de una ejecución, con todas las llamadas al modelo; null: ninguno.",
  "Tokens.": "Cantidad de tokens.",
  "`supervisor`, `swarm`: the agent tools it may use; absent: all its agent tools.":
    "`supervisor`, `swarm`: las herramientas de agente que puede usar; sin indicar: todas.",
  "The name of a tool of type agent.": "El nombre de una herramienta de tipo agent.",
  "`pipeline`: its stages in order; absent: analyze, process, synthesize.":
    "`pipeline`: sus etapas en orden; sin indicar: analyze, process, synthesize.",
  "The stage's name; unique.": "El nombre de la etapa; único.",
  "Jinja2 template of the stage's instruction.": "Plantilla Jinja2 de la instrucción de la etapa.",
  "What the agent may do, beside answering.": "Lo que el agente puede hacer, además de responder.",
  "A tool of type builtin.": "Una herramienta de tipo builtin.",
  "The name the model calls it by; unique in the agent.":
    "El nombre con el que la llama el modelo; único en el agente.",
  "The kind of tool.": "El tipo de herramienta.",
  "The actions it takes; each must be in spec.permissions.allowed_actions where that is set.":
    "Las acciones que realiza; cada una debe estar en spec.permissions.allowed_actions si está definido.",
  "An action.": "Una acción.",
  "A limit per tenant, agent and tool; absent: none.":
    "Un límite por cliente, agente y herramienta; sin indicar: ninguno.",
  "Calls in a window.": "Llamadas en una ventana.",
  "Length of the window, in seconds.": "Duración de la ventana, en segundos.",
  "Longest call, in seconds.": "Llamada más larga, en segundos.",
  "Whether a person has to approve each call.": "Si una persona debe aprobar cada llamada.",
  "`propose` records the call without executing it and tells the model so.":
    "`propose` registra la llamada sin ejecutarla y se lo dice al modelo.",
  "JSON Schema of the tool's input (type object).":
    "JSON Schema de la entrada de la herramienta (tipo object).",
  "The tool's own options.": "Las opciones propias de la herramienta.",
  "A tool of type internal.": "Una herramienta de tipo internal.",
  "Options of `internal`.": "Opciones de `internal`.",
  "What the tool's `execute` gets as `secrets`: names, and the environment variables that hold the values.":
    "Lo que `execute` de la herramienta recibe como `secrets`: nombres, y las variables de entorno que contienen los valores.",
  "The environment variable whose value the tool gets under this name.":
    "La variable de entorno cuyo valor recibe la herramienta con este nombre.",
  "A tool of type webhook.": "Una herramienta de tipo webhook.",
  "Options of `webhook`.": "Opciones de `webhook`.",
  "Where the call goes; `{name}` in its path or query is replaced by that input. With a connection of connections.yaml: a path below its `base_url`; absent: that address itself.":
    "A dónde va la llamada; `{name}` en su ruta o consulta se reemplaza por esa entrada. Con una conexión de connections.yaml: una ruta por debajo de su `base_url`; sin indicar: esa misma dirección.",
  "The HTTP method.": "El método HTTP.",
  "Headers of every call; `{name}` in a value is replaced by that input. The body is JSON, or a form with `Content-Type: application/x-www-form-urlencoded`.":
    "Cabeceras de cada llamada; `{name}` en un valor se reemplaza por esa entrada. El cuerpo es JSON, o un formulario con `Content-Type: application/x-www-form-urlencoded`.",
  "The header's value.": "El valor de la cabecera.",
  "The connection of connections.yaml, for agents of the platform the tenant's, that gives address and credential.":
    "La conexión de connections.yaml, o del cliente en los agentes de la plataforma, que da la dirección y la credencial.",
  "A tool of type mcp.": "Una herramienta de tipo mcp.",
  "Longest silence of the server during a call, in seconds; one that tells of progress may take ten times as long.":
    "Silencio más largo del servidor durante una llamada, en segundos; uno que informa su progreso puede tardar diez veces más.",
  "Options of `mcp`.": "Opciones de `mcp`.",
  "How the MCP server is spoken to.": "Cómo se habla con el servidor MCP.",
  "`stdio`: the program to start.": "`stdio`: el programa que se inicia.",
  "`stdio`: its arguments.": "`stdio`: sus argumentos.",
  "An argument.": "Un argumento.",
  "`stdio`: its environment; it gets nothing else.": "`stdio`: su entorno; no recibe nada más.",
  "The variable's value.": "El valor de la variable.",
  "`sse`, `http`: the server's address.": "`sse`, `http`: la dirección del servidor.",
  "`sse`, `http`: headers of every request.": "`sse`, `http`: cabeceras de cada solicitud.",
  "`sse`, `http`: whether the address may lead to this machine.":
    "`sse`, `http`: si la dirección puede llevar a esta máquina.",
  "`sse`, `http`: a client of your own for `argosy mcp login`; absent: Argosy registers one itself.":
    "`sse`, `http`: un cliente propio para `argosy mcp login`; sin indicar: Argosy registra uno.",
  "The client's id at the server's authorization server.":
    "El id del cliente en el servidor de autorización.",
  "Its secret, by a variable; absent: a public client.":
    "Su secreto, en una variable; sin indicar: un cliente público.",
  "The scopes that a login asks for; absent: those that the server names.":
    "Los permisos que pide un inicio de sesión; sin indicar: los que nombra el servidor.",
  "A scope.": "Un permiso.",
  "The tools that may be used; absent: all.": "Las herramientas que se pueden usar; sin indicar: todas.",
  "A tool's name at the server.": "El nombre de una herramienta en el servidor.",
  "Hash of the tools, as the agent's page shows it: changed tools are not offered. Absent: changes are reported by `argosy doctor`.":
    "Hash de las herramientas, como lo muestra la página del agente: las herramientas cambiadas no se ofrecen. Sin indicar: `argosy doctor` informa los cambios.",
  "`stdio`: MiB of memory of the server and all it starts; it is ended when it has more.":
    "`stdio`: MiB de memoria del servidor y de todo lo que inicia; se termina si usa más.",
  "A tool of type rag.": "Una herramienta de tipo rag.",
  "Options of `rag`.": "Opciones de `rag`.",
  "The collection that is searched.": "La colección en la que se busca.",
  "Passages returned.": "Pasajes devueltos.",
  "Passages below this score are left out.": "Los pasajes por debajo de esta puntuación se omiten.",
  "A tool of type agent.": "Una herramienta de tipo agent.",
  "Longest call, in seconds; absent: as long as that agent may take.":
    "Llamada más larga, en segundos; sin indicar: lo que pueda tardar ese agente.",
  "Options of `agent`.": "Opciones de `agent`.",
  "The agent that does the work.": "El agente que hace el trabajo.",
  "Jinja2 template of what the other agent is asked, over `input` and its fields, `user_query`, `session_id`, `agent_name` and `context`; absent: the input's `query`, or the input as JSON.":
    "Plantilla Jinja2 de lo que se pregunta al otro agente, con `input` y sus campos, `user_query`, `session_id`, `agent_name` y `context`; sin indicar: `query` de la entrada, o la entrada como JSON.",
  "A tool of type client.": "Una herramienta de tipo client.",
  "How long the caller may take, in seconds; absent: a day.":
    "Cuánto puede tardar quien llama, en segundos; sin indicar: un día.",
  "`client` has no options.": "`client` no tiene opciones.",
  "A tool of type a2a.": "Una herramienta de tipo a2a.",
  "Options of `a2a`.": "Opciones de `a2a`.",
  "The other agent's address, or that of its card (`…/agent-card.json`).":
    "La dirección del otro agente, o la de su tarjeta (`…/agent-card.json`).",
  "Headers of every request.": "Cabeceras de cada solicitud.",
  "Whether the address may lead to this machine.": "Si la dirección puede llevar a esta máquina.",
  "What the agent remembers. Conversations are kept in any case; other kinds only when they are named.":
    "Lo que recuerda el agente. Las conversaciones se conservan siempre; lo demás, solo si se nombra.",
  "The conversation of a session.": "La conversación de una sesión.",
  "Where turns are kept; `postgres` by default when DATABASE_URL is set. `memory`: in the process, gone with it.":
    "Dónde se guardan los turnos; `postgres` si DATABASE_URL está definida. `memory`: en el proceso, y se pierden con él.",
  "`sliding_window`: the last turns; `summary`: older turns are summarised; `token_budget`: as many turns as fit.":
    "`sliding_window`: los últimos turnos; `summary`: los turnos anteriores se resumen; `token_budget`: los turnos que quepan.",
  "Turns that are kept in view; a question and its answer are two.":
    "Turnos que se mantienen a la vista; una pregunta y su respuesta son dos.",
  "Another spelling of `max_turns`.": "Otra forma de escribir `max_turns`.",
  "Tokens of history under `token_budget` and `summary`, of at most `max_turns` turns.":
    "Tokens de historial con `token_budget` y `summary`, de `max_turns` turnos como máximo.",
  "Seconds without a message after which a session is forgotten; absent: never.":
    "Segundos sin un mensaje después de los cuales se olvida una sesión; sin indicar: nunca.",
  "An own store; absent: the one of the installation, or what REDIS_URL names.":
    "Un almacén propio; sin indicar: el de la instalación, o el que nombra REDIS_URL.",
  "The store's address: `postgres://…`, `redis://…` or, for `sqlite`, a file in the workspace or in `memory/` of the data folder.":
    "La dirección del almacén: `postgres://…`, `redis://…` o, para `sqlite`, un archivo en el espacio de trabajo o en `memory/` de la carpeta de datos.",
  "What was said in other sessions, found by meaning.":
    "Lo que se dijo en otras sesiones, encontrado por su significado.",
  "The vector store.": "El almacén de vectores.",
  "What turns text into vectors: a provider of embeddings, or `provider/model`. Changing it needs the agent's memory to be indexed again.":
    "Lo que convierte texto en vectores: un proveedor de embeddings, o `proveedor/modelo`. Al cambiarlo hay que indexar de nuevo la memoria del agente.",
  "Memories below this score are left out; absent: the embedder's own (local_hash 0.3).":
    "Los recuerdos por debajo de esta puntuación se omiten; sin indicar: la del modelo de embeddings (local_hash 0.3).",
  "Memories brought into the prompt.": "Recuerdos que se llevan al prompt.",
  "An own store; absent: the one of the installation.":
    "Un almacén propio; sin indicar: el de la instalación.",
  "The store's address.": "La dirección del almacén.",
  "What happened, as dated episodes.": "Lo que pasó, como episodios con fecha.",
  "Where episodes are kept; `postgres` by default when DATABASE_URL is set.":
    "Dónde se guardan los episodios; `postgres` si DATABASE_URL está definida.",
  "Episodes brought into the prompt.": "Episodios que se llevan al prompt.",
  "Documents the agent answers from.": "Documentos a partir de los que responde el agente.",
  "The RAG pipeline that is searched with every query.":
    "El pipeline de RAG en el que se busca con cada pregunta.",
  "Passages brought into the prompt.": "Pasajes que se llevan al prompt.",
  "What is checked before and after the model.": "Lo que se comprueba antes y después del modelo.",
  "Applied in order to the user's message, and to each message of a conversation that the caller sends: `pii_detection`, `topic_filter`, `max_length` …":
    "Se aplican en orden al mensaje del usuario, y a cada mensaje de una conversación que envía quien llama: `pii_detection`, `topic_filter`, `max_length` …",
  "A guardrail; the options of its kind stand beside `type`, `action` and `on_error`.":
    "Una barrera de protección; las opciones de su tipo van junto a `type`, `action` y `on_error`.",
  "The kind of guardrail: `pii_detection` {entities}, `topic_filter` {topics}, `max_length` {max_chars}, `content_filter` {categories, keywords, patterns}, `cost_limit` {max_tokens_per_turn} …":
    "El tipo de barrera: `pii_detection` {entities}, `topic_filter` {topics}, `max_length` {max_chars}, `content_filter` {categories, keywords, patterns}, `cost_limit` {max_tokens_per_turn} …",
  "What happens on a match; each kind has its own default.":
    "Qué pasa si hay una coincidencia; cada tipo tiene su valor predeterminado.",
  "Applied to the answer, in order: `pii_detection`, `content_filter`, `cost_limit` …":
    "Se aplican a la respuesta, en orden: `pii_detection`, `content_filter`, `cost_limit` …",
  "What tools may do.": "Lo que pueden hacer las herramientas.",
  "The actions that tools of this agent may take; absent: all.":
    "Las acciones que pueden realizar las herramientas de este agente; sin indicar: todas.",
  "The shape of `data` in the result: a JSON Schema (2020-12, references inside it only, at most 64 KiB, 300 schemas, 1000 rules and 32 levels; `format` is checked, `pattern` runs in linear time), or the shorthand `{field: type}` with string, number, integer, boolean, array, object.":
    "La forma de `data` en el resultado: un JSON Schema (2020-12, solo referencias internas, como máximo 64 KiB, 300 esquemas, 1000 reglas y 32 niveles; `format` se comprueba, `pattern` se ejecuta en tiempo lineal), o la forma breve `{campo: tipo}` con string, number, integer, boolean, array, object.",
  "The agents that run after this one has answered.":
    "Los agentes que se ejecutan después de que este respondió.",
  "Whether links run one after the other or at once.":
    "Si los eslabones se ejecutan uno tras otro o a la vez.",
  "Longest path through the chains of all agents on the way.":
    "Camino más largo por las cadenas de todos los agentes del recorrido.",
  "The links; all whose `when` holds fire.": "Los eslabones; se activan todos los que cumplen su `when`.",
  "The agent that runs next.": "El agente que se ejecuta después.",
  "Condition over `output`, `trigger`, `steps`: a Jinja2 template, or an expression without braces; what it reads has to be there. Absent: the link always fires.":
    "Condición sobre `output`, `trigger`, `steps`: una plantilla Jinja2, o una expresión sin llaves; lo que lee debe existir. Sin indicar: el eslabón siempre se activa.",
  "Jinja2 template of its query, over the same and `when`; what it reads has to be there. Absent: the answer so far.":
    "Plantilla Jinja2 de su pregunta, con lo mismo y `when`; lo que lee debe existir. Sin indicar: la respuesta hasta ahora.",
  "Fires if no `when` of the others held; at most one link.":
    "Se activa si no se cumplió ningún `when` de los demás; un eslabón como máximo.",
  "What happens when the agent fails.": "Qué pasa cuando falla el agente.",
  "Attempts, the first included.": "Intentos, con el primero.",
  "Seconds before the second attempt; doubled for each further one.":
    "Segundos antes del segundo intento; se duplican con cada uno más.",
  "Longest attempt of this link, in seconds; absent: the agent's own limit.":
    "Intento más largo de este eslabón, en segundos; sin indicar: el límite del agente.",
  "After the last attempt: `stop`, `continue`, or the name of an agent that runs instead.":
    "Después del último intento: `stop`, `continue`, o el nombre de un agente que se ejecuta en su lugar.",
  "Where the agent listens, beside the API.": "Dónde escucha el agente, además de la API.",
  "The kind of channel.": "El tipo de canal.",
  "The channel's own options.": "Las opciones propias del canal.",
  "What runs the agent by itself: schedules, webhooks, changed documents, messages.":
    "Lo que ejecuta el agente por sí solo: horarios, webhooks, documentos cambiados, mensajes.",
  "Fires by the clock. `payload` has `scheduled_at`, `local_time` and `timezone`.":
    "Se dispara por reloj. `payload` tiene `scheduled_at`, `local_time` y `timezone`.",
  "The trigger's name in routes and traces; unique in the agent.":
    "El nombre del disparador en rutas y trazas; único en el agente.",
  "What fires it.": "Lo que lo dispara.",
  "Jinja2 template of what the agent is asked, over `trigger.{name, type, at, by}` and `payload`; a missing field fails the fire.":
    "Plantilla Jinja2 de lo que se pregunta al agente, con `trigger.{name, type, at, by}` y `payload`; si falta un campo, el disparo falla.",
  "Jinja2 template of the session, over the same; absent: each fire has a session of its own.":
    "Plantilla Jinja2 de la sesión, con lo mismo; sin indicar: cada disparo tiene su propia sesión.",
  "Five fields: minute, hour, day of the month, month, day of the week (0 or 7 is Sunday), with names, ranges, lists and steps; or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`.":
    "Cinco campos: minuto, hora, día del mes, mes, día de la semana (0 o 7 es domingo), con nombres, rangos, listas y pasos; o `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`.",
  "Time zone of the wall clock, such as `Europe/Madrid`. A time that the clock shows twice fires once, one that it leaves out fires as much later; hours `*` follow the time that passes.":
    "Zona horaria del reloj, como `Europe/Madrid`. Una hora que el reloj muestra dos veces dispara una vez, y una que se salta dispara ese tiempo más tarde; las horas `*` siguen el tiempo que pasa.",
  "What becomes of fires whose time passed while no server ran: none, the last one, or each (the last 100).":
    "Qué pasa con los disparos cuya hora pasó mientras no había servidor: ninguno, el último, o todos (los últimos 100).",
  "Fires by a signed request to `POST /v1/hooks/{agent}/{trigger}`. `payload` is its JSON body.":
    "Se dispara con una solicitud firmada a `POST /v1/hooks/{agent}/{trigger}`. `payload` es su cuerpo JSON.",
  "The secret of the signatures; name a variable of the environment, as in every text. With `standard`, one that begins with `whsec_` is read as base64.":
    "El secreto de las firmas; nombra una variable de entorno, como en todo texto. Con `standard`, uno que empieza con `whsec_` se lee como base64.",
  "`standard`: Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`), with a time limit of five minutes. `sha256`: `X-Hub-Signature-256`, as GitHub and Meta send it.":
    "`standard`: Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`), con un límite de cinco minutos. `sha256`: `X-Hub-Signature-256`, como lo envían GitHub y Meta.",
  "Fires when documents of a collection change, once for each write. `payload` has `collection`, `change`, `documents` and `count`.":
    "Se dispara cuando cambian documentos de una colección, una vez por escritura. `payload` tiene `collection`, `change`, `documents` y `count`.",
  "The collection.": "La colección.",
  "The changes that fire it.": "Los cambios que lo disparan.",
  "A change.": "Un cambio.",
  "Fires when a message arrives on a channel, beside the agent that answers it. `payload` has `channel`, `from`, `kind`, `text` and `message_id`.":
    "Se dispara cuando llega un mensaje a un canal, además del agente que lo responde. `payload` tiene `channel`, `from`, `kind`, `text` y `message_id`.",
  "The channel.": "El canal.",
  "Skills (agentskills.io). The prompt has their names and descriptions; the model reads the rest with `read_skill`.":
    "Habilidades (agentskills.io). El prompt tiene sus nombres y descripciones; el modelo lee el resto con `read_skill`.",
  "The name of a folder in `skills/`, or a skill of texts alone.":
    "El nombre de una carpeta de `skills/`, o una habilidad solo de textos.",
  "A folder of `skills/`.": "Una carpeta de `skills/`.",
  "A skill of texts alone.": "Una habilidad solo de textos.",
  "The skill's name: lower-case letters, digits and single hyphens.":
    "El nombre de la habilidad: letras minúsculas, cifras y guiones simples.",
  "What the model reads when it uses the skill.": "Lo que lee el modelo cuando usa la habilidad.",
  "Further texts by path, which the model reads by themselves.":
    "Otros textos por ruta, que el modelo lee por separado.",
  "The reference's text.": "El texto de la referencia.",
  "Availability to agents of other systems.": "Disponibilidad para agentes de otros sistemas.",
  "Whether other agents can call it over the Agent2Agent protocol, at `/a2a/<name>`.":
    "Si otros agentes pueden llamarlo con el protocolo Agent2Agent, en `/a2a/<name>`.",
  "The gate of new versions.": "El control de las versiones nuevas.",
  "Evals that a version must pass before it answers. The version in service stays until then.":
    "Evaluaciones que una versión debe superar antes de responder. Hasta entonces sigue la versión en servicio.",
  "An eval that a version must pass.": "Una evaluación que una versión debe superar.",
  "Name of an eval: in the workspace's `evals` folder, or on the platform one of the tenant.":
    "Nombre de una evaluación: en la carpeta `evals` del espacio de trabajo, o en la plataforma una del cliente.",
  "Lowest pass rate: the mean over cases of the share of repetitions that passed.":
    "Tasa de éxito mínima: la media, entre los casos, de la parte de repeticiones superadas.",
  "Whether a version is refused if a case passes less often than half of the time, and did not with the version in service.":
    "Si se rechaza una versión cuando un caso se supera menos de la mitad de las veces, y no era así con la versión en servicio.",
  "A new version answers a share of the sessions first.":
    "Una versión nueva responde primero una parte de las sesiones.",
  "Share of sessions that the new version answers, in percent. A session stays with its version.":
    "Parte de las sesiones que responde la versión nueva, en porcentaje. Una sesión se queda con su versión.",
  "Finished runs of each version before the first verdict, and of the new version between two verdicts.":
    "Ejecuciones terminadas de cada versión antes del primer veredicto, y de la versión nueva entre dos veredictos.",
  "Shortest time before the new version answers all sessions.":
    "Tiempo mínimo antes de que la versión nueva responda todas las sesiones.",
  "Bounds beyond which the new version is taken out of service.":
    "Límites a partir de los cuales la versión nueva se retira del servicio.",
  "Highest accepted increase of the share of failed runs: 0.05 is five percentage points.":
    "Aumento máximo aceptado de la parte de ejecuciones fallidas: 0.05 son cinco puntos porcentuales.",
  "Highest accepted decrease of the share of positive feedback among rated runs.":
    "Reducción máxima aceptada de la parte de valoraciones positivas entre las ejecuciones valoradas.",
  "Highest accepted increase of the mean cost of a run: 0.25 is 25 %.":
    "Aumento máximo aceptado del costo medio de una ejecución: 0.25 es 25 %.",
  "What is recorded of runs.": "Lo que se registra de las ejecuciones.",
  "Whether runs are traced.": "Si se guardan trazas de las ejecuciones.",
  "Share of runs that are traced.": "Parte de las ejecuciones con traza.",
  "Whether traces hold what was said, not only figures.":
    "Si las trazas contienen lo que se dijo, no solo cifras.",
  "A pipeline that reads documents and finds passages in them.":
    "Un pipeline que lee documentos y encuentra pasajes en ellos.",
  "Who the pipeline is to the system.": "Qué es el pipeline para el sistema.",
  "The pipeline's name; unique among loaded pipelines.":
    "El nombre del pipeline; único entre los pipelines cargados.",
  "How documents are read and found.": "Cómo se leen y se encuentran los documentos.",
  "The collection it fills; absent: metadata.name.": "La colección que llena; sin indicar: metadata.name.",
  "How documents are cut into chunks.": "Cómo se dividen los documentos en fragmentos.",
  "How documents are cut.": "Cómo se dividen los documentos.",
  "Longest chunk, in characters.": "Fragmento más largo, en caracteres.",
  "Characters that neighbours share; less than chunk_size.":
    "Caracteres que comparten fragmentos vecinos; menos que chunk_size.",
  "`recursive`: where to cut, best first.": "`recursive`: dónde dividir, primero lo mejor.",
  "A text to cut at.": "Un texto en el que se divide.",
  "`semantic`: neighbours below this similarity are cut apart.":
    "`semantic`: los vecinos por debajo de esta similitud se separan.",
  "How chunks become vectors.": "Cómo se convierten los fragmentos en vectores.",
  "What turns text into vectors: `local_hash`, `ollama`, `openai`, `sentence_transformer`.":
    "Lo que convierte texto en vectores: `local_hash`, `ollama`, `openai`, `sentence_transformer`.",
  "The provider's address.": "La dirección del proveedor.",
  "Name of the environment variable that holds the key.":
    "Nombre de la variable de entorno que contiene la clave.",
  "Length of the vectors, where the model leaves a choice.":
    "Longitud de los vectores, si el modelo permite elegirla.",
  "Where the vectors are kept.": "Dónde se guardan los vectores.",
  "The store; `spec.vectors` of runtime.yaml sets another default.":
    "El almacén; `spec.vectors` de runtime.yaml define otro valor predeterminado.",
  "The store's address, for stores that are servers.":
    "La dirección del almacén, para los que son servidores.",
  "`pgvector`: connection string.": "`pgvector`: cadena de conexión.",
  "A second look at what was found.": "Una segunda mirada a lo encontrado.",
  "Whether results are ordered again.": "Si los resultados se ordenan de nuevo.",
  "What orders them.": "Lo que los ordena.",
  "Results that are kept; absent: those of retrieval.":
    "Resultados que se conservan; sin indicar: los de la búsqueda.",
  "How passages are found.": "Cómo se encuentran los pasajes.",
  "What is searched by.": "Por qué se busca.",
  "Values that a passage's metadata must have.": "Valores que deben tener los metadatos de un pasaje.",
  "Reads pages of PDFs that are pictures. Installs tesseract.js-core and language data from npm at the first such page.":
    "Lee páginas de PDF que son imágenes. Con la primera de ellas instala tesseract.js-core y datos de idiomas desde npm.",
  "Languages of the pages, most frequent first.": "Idiomas de las páginas, primero los más frecuentes.",
  "A language, such as `eng`.": "Un idioma, como `spa`.",
  "Files kept in step by `argosy rag sync`.": "Archivos que `argosy rag sync` mantiene al día.",
  "Files under the workspace, as a glob pattern.": "Archivos del espacio de trabajo, como patrón glob.",
  "Finds e-mail addresses, phone numbers, US social security numbers and payment card numbers; redacting puts [EMAIL], [PHONE], [SSN], [CREDIT_CARD] in their place.":
    "Encuentra direcciones de correo, números de teléfono, números de seguridad social de EE. UU. y de tarjetas de pago; al ocultarlos pone en su lugar [EMAIL], [PHONE], [SSN], [CREDIT_CARD].",
  "What is looked for: email, phone, ssn, credit_card.": "Lo que se busca: email, phone, ssn, credit_card.",
  "The same as pii_detection with the action redact.": "Lo mismo que pii_detection con la acción redact.",
  "Finds unwanted topics by their words; it does not understand meaning.":
    "Encuentra temas no deseados por sus palabras; no entiende el significado.",
  "Words and phrases in any language, found as whole words in any case, with or without accents and in simple other forms; `politics`, `religion`, `violence`, `gambling`, `adult`, `medical_advice`, `legal_advice`, `financial_advice` each stand for a built-in list of words, mostly English with some Spanish.":
    "Palabras y frases en cualquier idioma, que se encuentran como palabras completas, en mayúsculas o minúsculas, con o sin acentos y en otras formas simples; `politics`, `religion`, `violence`, `gambling`, `adult`, `medical_advice`, `legal_advice`, `financial_advice` son listas integradas de palabras, sobre todo en inglés con algunas en español.",
  "Bounds the length of the user's message; redacting cuts it.":
    "Limita la longitud del mensaje del usuario; al ocultar, lo corta.",
  "Longest text, in characters (code points).": "Texto más largo, en caracteres (puntos de código).",
  "Finds texts that look like known attempts to take over the model. A heuristic that misses new ones: limit what an agent may do by its tools and permissions.":
    "Encuentra textos que parecen intentos conocidos de tomar el control del modelo. Es una heurística que no ve los nuevos: limita lo que puede hacer un agente con sus herramientas y permisos.",
  "How much it takes: `low` several signs together, `medium` one clear sign, `high` a faint one, honest texts about prompts included. It misses new attacks: bound an agent by its tools and permissions.":
    "Cuánto hace falta: `low` varias señales juntas, `medium` una señal clara, `high` una débil, también en textos honestos sobre prompts. No ve ataques nuevos: limita a un agente con sus herramientas y permisos.",
  "Finds words of built-in lists, your keywords and patterns in answers and in the inputs and results of tools; `redact` replaces them by [FILTERED]. Needs categories, keywords or patterns.":
    "Encuentra palabras de listas integradas, tus palabras clave y patrones en respuestas y en entradas y resultados de herramientas; `redact` los reemplaza por [FILTERED]. Necesita categories, keywords o patterns.",
  "Built-in lists of words, mostly English with some Spanish. One of `categories`, `keywords` and `patterns` has to be given.":
    "Listas integradas de palabras, sobre todo en inglés con algunas en español. Hay que indicar `categories`, `keywords` o `patterns`.",
  "Words or phrases as they are written, found as whole words in any case.":
    "Palabras o frases tal como se escriben, encontradas como palabras completas, en mayúsculas o minúsculas.",
  "Regular expressions in RE2's syntax, which runs in linear time; `(?i)` in front ignores case. `\\b` knows ASCII words. Backreferences, lookaround and patterns that match the empty text are refused. Under `redact`, a stream is held back by at most 256 characters; of a longer match, what was shown stays shown.":
    "Expresiones regulares con la sintaxis de RE2, que se ejecuta en tiempo lineal; `(?i)` al principio ignora mayúsculas. `\\b` conoce palabras ASCII. Se rechazan las referencias hacia atrás, las condiciones de contexto y los patrones que coinciden con el texto vacío. Con `redact`, una transmisión se retiene 256 caracteres como máximo; de una coincidencia más larga, lo ya mostrado sigue a la vista.",
  "Bounds the tokens of an answer, wherever it stands among the guardrails; redacting cuts the answer there and ends the model's call.":
    "Limita los tokens de una respuesta, sea cual sea su lugar entre las barreras; al ocultar, corta ahí la respuesta y termina la llamada al modelo.",
  "Most tokens of one answer, estimated from its text without tool calls. `redact` cuts the answer there and ends the model's call.":
    "Máximo de tokens de una respuesta, estimado por su texto sin llamadas a herramientas. `redact` corta ahí la respuesta y termina la llamada al modelo.",
  "What the agent is for, in a sentence.": "Para qué sirve el agente, en una frase.",
  "What the model is told about the tool; built-in tools have their own.":
    "Lo que se le dice al modelo sobre la herramienta; las integradas tienen su propio texto.",
  "What it does and when to use it; the model always sees it.":
    "Qué hace y cuándo usarla; el modelo siempre lo ve.",
  "What the documents are about.": "De qué tratan los documentos.",
};

export const descriptionText: typeof english.descriptionText = (description) =>
  descriptions[description] ?? description;
