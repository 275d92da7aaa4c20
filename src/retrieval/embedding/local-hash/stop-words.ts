import { hashRange } from "./feature-table.ts";
import { foldText } from "./fold-text.ts";

/** Words with little meaning: articles, pronouns, prepositions, auxiliaries and question words of common languages. */
const words = () =>
  foldText(`
a about above after again all also am an and any are as at be because been before being below between both but by can cannot
could did do does doing done down during each either else even ever every few for from further get gets getting give given
got had has have having he her here hers herself him himself his how however i if in instead into is isn it its itself just
let like ll make may me might mine more most much must my myself need needs no nor not now of off often on once one only or
other our ours ourselves out over own please put rather re s same shall she should since so some such t take than that the
their theirs them themselves then there therefore these they thing things this those though through thus to too under until
up upon us use used uses using ve very via want was way we were what when where whether which while who whom whose why will
with within without would yes yet you your yours yourself
al algo alguna alguno ante como con contra cual cuales cuando de del desde donde el ella ellas ellos en entre era eran es esa
ese eso esta estan estar este esto estos fue ha hace han hasta hay la las le les lo los mas me mi mis mucho muy nada ni
nos nosotros o otra otro para pero por porque puede pueden que quien se sea ser si sin sobre son su sus tal tambien tanto te
tiene tienen todo todos tu tus un una unas uno unos y ya yo
au aux avec c ce ces cet cette d dans des donc du elle elles est et ete etre eu il ils j je l leur leurs lui ma mais mes moi
mon ne notre nous n on ont ou par pas peut plus pour qu quand que quel quelle qui sa sans sera ses soit son sont sous sur ta
tes toi ton tous tout toute tres une vos votre vous y
aber alle als am an auch auf aus bei beim bin bis bist da damit dann das dass dein dem den der des dich die dies diese dieser
dieses doch dort du durch ein eine einem einen einer eines er es euch fur habe haben hat hatte ich ihm ihn ihr ihre im in
ist ja jede jeder kann kein keine konnen man mehr mein mich mir mit muss nach nicht noch nur ob oder ohne schon sehr sein
seine sich sie sind so soll uber um und uns unser unter vom von vor wann war warum was weil welche wenn wer werden wie wir
wird wo zu zum zur
agli ai al alla alle anche che chi ci come con cosa da dal dalla dei del della delle di dove e ed era gli ha hanno ho i il io
la le lei lo loro lui ma mi mia mio ne nel nella non noi o per perche piu quale quando quella quello questa questo se sei si
sono sta su sua suo tra tu tutti un una uno vi voi
ao aos as ate com como da das do dos e ela ele eles em entre era essa esse esta este eu foi isso isto ja la lhe mais mas me
meu minha muito na nao nas nem no nos nossa nosso num numa o onde os ou para pela pelo pode por qual quando quem sao se sem
ser seu sua tambem te tem tu um uma voce
в во и на не что он она они оно я ты мы вы как а но за из по от до для это этот эта эти то так же ли бы был была было были
есть к ко с со у о об при или если где когда кто чем чего его ее их им мне меня нам нас вам вас все всего уже еще
`)
    .trim()
    .split(/\s+/);

/** Hashes of the stop words. */
export function stopWordHashes(): ReadonlySet<number> {
  return new Set(words().map((word) => hashRange(word, 0, word.length)));
}
