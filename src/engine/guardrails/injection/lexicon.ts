import { atOnce } from "../../../kit/concurrency/others-turn.ts";
import { unlimitedAllowance } from "../build-allowance.ts";
import { type Phrase, type PhraseSet, phraseSet } from "../words/phrase-set.ts";

/** Roles of words and phrases in an attack. */
export const roles = [
  "drop",
  "prior",
  "all",
  "orders",
  "own",
  "reveal",
  "hidden",
  "guidance",
  "persona",
  "command",
  "send",
  "secret",
  "decode",
  "obey",
  "machine",
] as const;
export type Role = (typeof roles)[number];

/** In English, Spanish, Portuguese, French, Italian, German, Dutch, Russian, Chinese, Japanese and Korean. */
const words: Record<Role, readonly string[]> = {
  // verbs that cancel orders
  drop: [
    ..."ignore,disregard,forget,override,bypass,neglect,discard,pay no attention to,set aside,put aside,throw away,stop following,do not follow,don't follow,do not obey".split(
      ",",
    ),
    ..."ignora,ignore,ignorar,olvida,olvide,olvidar,omite,descarta,haz caso omiso,desconsidere,esqueça,esquece,desobedece".split(
      ",",
    ),
    ..."ignorez,oublie,oubliez,ne tiens pas compte,ne tenez pas compte,dimentica,dimenticate,ignori,trascura".split(
      ",",
    ),
    ..."ignoriere,ignorieren,vergiss,vergessen sie,missachte,negeer,vergeet".split(","),
    ..."игнорируй,игнорируйте,проигнорируй,забудь,забудьте,отбрось".split(","),
    ..."忽略,无视,忘记,忘掉,不要理会,無視,忘れ,무시,잊어".split(","),
  ],
  // existing orders
  prior: [
    ..."previous,prior,preceding,above,earlier,foregoing,former,original,initial,existing,system,all your,any of your,you were given,you have been given,you received,given to you,so far,before this,developer's,your,everything you were told,everything you have been told,all you were told,what you were told".split(
      ",",
    ),
    ..."anterior,anteriores,tus,previo,previas,previos,de arriba,que te dieron,que recibiste,acima,prévias".split(
      ",",
    ),
    ..."précédent,précédents,tes,vos,précédente,précédentes,ci-dessus,antérieures,precedente,precedenti".split(
      ",",
    ),
    ..."vorherigen,vorherige,deine,bisherigen,obigen,vorigen,vorangegangenen,vorige,eerdere,voorgaande,bovenstaande".split(
      ",",
    ),
    ..."предыдущие,предыдущих,прежние,прошлые,все инструкции".split(","),
    ..."之前,以上,先前,前面,上述,以前,これまで,上記,이전,위의,앞의,모든".split(","),
  ],
  // any orders
  all: [
    ..."all the,all of the,all instructions,all rules,every,todas las,todas as,toutes les,tutte le,alle,все,所有,すべて,全ての".split(
      ",",
    ),
  ],
  orders: [
    ..."instruction,rule,prompt,guideline,directive,command,direction,constraint,restriction,programming,training,safeguard,content policy,policies,safety filter,system message,everything you were told,everything you have been told,all you were told,what you were told".split(
      ",",
    ),
    ..."instrucciones,instruções,reglas,regras,indicaciones,órdenes,directrices,restricciones".split(","),
    ..."instructions,consignes,règles,directives,istruzioni,regole,direttive".split(","),
    ..."Anweisung,Anweisungen,Regeln,Vorgaben,Instruktionen,Befehle,instructies,regels,opdrachten".split(","),
    ..."инструкции,инструкций,указания,правила,команды".split(","),
    ..."指令,指示,提示词,规则,命令,設定,ルール,プロンプト,지시,명령,규칙,프롬프트".split(","),
  ],
  // the user's own orders, which the user may cancel
  own: [
    ..."my,mine,our,i gave,i sent,i wrote,mi,mis,mes,meine,meinen,minhas,miei,mijn,мои,我的,私の,제,내".split(
      ",",
    ),
  ],
  reveal: [
    ..."print,show,reveal,repeat,output,display,tell me,give me,leak,dump,expose,disclose,recite,share,write out,type out,spell out,paste,list,summarize,paraphrase,what is,what are,what were,what's,what does,translate".split(
      ",",
    ),
    ..."muestra,muéstrame,revela,repite,imprime,dime,cuál es,mostre,revele,repita".split(","),
    ..."montre,montre-moi,révèle,affiche,répète,mostra,mostrami,rivela,ripeti,stampa".split(","),
    ..."zeige,zeig,verrate,gib,wiederhole,drucke,nenne,toon,onthul,herhaal".split(","),
    ..."покажи,раскрой,выведи,повтори,напечатай,显示,输出,告诉我,打印,重复,泄露,表示し,教えて,出力,보여,알려,출력".split(
      ",",
    ),
  ],
  // text that only the operator has written
  hidden: [
    ..."your system prompt,the system prompt,your initial prompt,your hidden prompt,your original prompt,your prompt,your system message,the system message,your hidden instructions,your initial instructions,your original instructions,your secret instructions,your system instructions,your developer message,exact instructions,text before this,written before this,your secret,the hidden prompt,the initial prompt,the text above,the words above,everything above,all text above,the instructions you were given".split(
      ",",
    ),
    ..."tu prompt,tu prompt de sistema,el prompt del sistema,las instrucciones del sistema,seu prompt,prompt do sistema".split(
      ",",
    ),
    ..."ton prompt,votre prompt,prompt système,il tuo prompt,prompt di sistema".split(","),
    ..."deinen System-Prompt,den System-Prompt,deinen Systemprompt,den Systemprompt,je systeemprompt".split(
      ",",
    ),
    ..."свой системный промпт,системный промпт".split(","),
    ..."系统提示,你的提示词,システムプロンプト,시스템 프롬프트".split(","),
  ],
  // may be the operator's, or rules that anyone may ask for
  guidance: [
    ..."your instructions,your rules,your guidelines,your configuration,your directives,tus instrucciones,tus reglas,suas instruções,suas regras,tes instructions,vos instructions,tes consignes,le tue istruzioni,deine Anweisungen,deine Regeln,deine Instruktionen,je instructies,твои инструкции,свои инструкции,你的指令,你的规则,あなたの指示,당신의 지시".split(
      ",",
    ),
  ],
  persona: [
    ..."you are dan,you are now dan,act as dan,i am your developer,had no rules,no rules,no ethics,disable your,do anything now,developer mode,god mode,jailbreak mode,jailbroken,dan mode,sudo mode,unrestricted ai,unfiltered ai,uncensored ai,evil ai,no restrictions,without restrictions,without any restrictions,no ethical,without ethical,no longer bound,not bound by,no longer have to follow,free from all,pretend you have no,you have no rules,you have no restrictions,no filters,without any filter,ignore your ethics,turn off your safety,bypass your filters,modo desarrollador,sin restricciones,sans restrictions,ohne einschränkungen,sem restrições,senza restrizioni,без ограничений,没有任何限制,制限なし,제한 없이".split(
      ",",
    ),
  ],
  // announcements of new orders
  command: [
    ..."new instructions,updated instructions,new system prompt,your new instructions,your new task is,your new role,your real task,your real instructions,your true purpose,from now on you are,from now on you will,from now on you must,you are now in,you will now act,system override,admin override,instruction override,end of system prompt,end of instructions,end of user input,begin new instructions,nuevas instrucciones,a partir de ahora eres,nouvelles instructions,désormais tu es,neue anweisungen,ab jetzt bist du,novas instruções,nuove istruzioni,новые инструкции,теперь ты,新的指令,从现在起你是,从现在开始你是,新しい指示,새로운 지시".split(
      ",",
    ),
  ],
  send: [
    ..."send,forward,post,upload,exfiltrate,transmit,email,append,attach,leak,submit,deliver,copy,envía,enviar,envoie,sende,schicke,отправь,发送,送信".split(
      ",",
    ),
  ],
  secret: [
    ..."api key,api keys,passwords,the password,admin password,credentials,secrets,private key,environment variables,access token,connection string,connection material,session cookies,all history,chat history,conversation history,entire conversation,full conversation,whole conversation,everything you know,user data,customer data,contraseñas,mots de passe,passwörter".split(
      ",",
    ),
  ],
  decode: [..."decode,decrypt,base64,rot13,hex string,decodifica,décode,dekodiere,декодируй,解码".split(",")],
  obey: [
    ..."follow,execute,obey,carry out,comply,do what it says,run it,act on it,perform,sigue,ejecuta,exécute,befolge,выполни,执行".split(
      ",",
    ),
  ],
  machine: [
    ..."dear ai,attention ai,note to ai,hey ai,ai assistant,ai agent,ai model,any ai,language model,the assistant,chatgpt,as an llm,the llm".split(
      ",",
    ),
  ],
};

/** Verbs are listed in the imperative only. For nouns, simple inflections count too. */
const inflectedRoles: ReadonlySet<Role> = new Set(["orders"]);

/** Roles whose words are also searched in hidden writing. */
export const disguisedRoles: readonly Role[] = ["drop", "prior", "orders", "reveal", "hidden"];

const asPlain = (): Phrase[] =>
  roles.flatMap((role) =>
    words[role].map((text) => ({ text, label: role, inflected: inflectedRoles.has(role) })),
  );

/** Words of an attack, reversed or in rot13. */
const asHidden = (): Phrase[] =>
  disguisedRoles.flatMap((role) =>
    words[role]
      .filter((text) => /^[a-z]{5,}$/.test(text))
      .flatMap((text) => {
        const forms = role === "orders" ? [text, `${text}s`] : [text];
        return forms.flatMap((form) =>
          [backwards(form), rotated(form)].map((hidden) => ({
            text: hidden,
            label: `${role}~`,
            inflected: false,
          })),
        );
      }),
  );

let attacks: PhraseSet | undefined;

/** Words by role; disguised ones have a `~` after the role. The first call builds them, which takes some 10 ms. */
export function attackWords(): PhraseSet {
  attacks ??= atOnce(
    phraseSet([...asPlain(), ...asHidden()], { dropAccents: true, loose: true }, unlimitedAllowance),
  );
  return attacks;
}

/** Words that are searched in spaced letters, where word boundaries are unknown. */
export const compactWords: readonly { text: string; role: Role }[] = disguisedRoles.flatMap((role) =>
  words[role]
    .map((text) => text.replaceAll(" ", ""))
    .filter((text) => /^[a-z]{5,}$/.test(text))
    .map((text) => ({ text, role })),
);

function backwards(word: string): string {
  return [...word].reverse().join("");
}

function rotated(word: string): string {
  return [...word]
    .map((letter) => String.fromCharCode(((letter.charCodeAt(0) - 97 + 13) % 26) + 97))
    .join("");
}
