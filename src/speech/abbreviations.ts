import type { Pronunciation } from './task-protocol.ts'

/** Words whose full stop doesn't end a sentence. Lower case, without their last full stop. */
export interface Abbreviations {
  /** Something always follows: a name, an example. */
  readonly joined: ReadonlySet<string>
  /** Joined only to a number: "no. 5", "p. 12". */
  readonly beforeNumber: ReadonlySet<string>
  /** Words that begin a sentence, and hardly ever a name: after "the U.S." one of them decides. */
  readonly openers: ReadonlySet<string>
}

export function abbreviationsOf(pronunciation: Pronunciation): Abbreviations {
  return ABBREVIATIONS[pronunciation]
}

const english = table(
  `mr mrs ms mx messrs dr drs prof st ste mt rev fr gen col maj capt cmdr lt sgt cpl adm supt gov sen rep hon pres
   e.g i.e eg ie vs cf viz approx avg max`,
  'no nos nr p pp vol vols ch chap sec fig figs eq art par ver tel ext apt rm c ca jan feb mar apr jun jul aug sep sept oct nov dec',
  'the this that these those it he she we they i you but and or so if when while in on at there then here however a an my our his her its',
)

const ABBREVIATIONS: Readonly<Record<Pronunciation, Abbreviations>> = {
  'en-us': english,
  'en-gb': english,
  es: table(
    `sr sra sres sras srta d dña dr dra dres prof profa lic ing arq gral cnel cap sto sta excmo excma ilmo ilma
     p.ej p ej ud uds vd vds av avda pza ctra dpto licda vs ee`,
    'núm no n.º nº p pág págs pp vol cap art fig tel tfno aprox máx mín',
    'el la los las un una en pero y si cuando esto eso hay',
  ),
  fr: table(
    'm mm mme mmes mlle mlles dr drs pr me mgr st ste cf p.ex ex env bd boul av réf c.-à-d vs',
    'n no nº n° p pp vol chap art fig tél max',
    'le la les un une il elle ils elles on nous vous je mais et si quand ce cela en',
  ),
  it: table(
    `sig sigg sig.ra sig.na sig.ri dott dott.ssa dr prof prof.ssa ing avv arch rag geom on sen gen col cap mons spett egr gent p.es es cfr`,
    'n nn nr no nº p pp pag pagg cap vol art fig tel cell ca max min',
    'il lo la i gli le un una ma e se quando in questo',
  ),
  'pt-br': table(
    'sr sra srs sras srta dr dra drs dras prof profa eng exmo exma d av pça rod jd gen cel cap p.ex ex',
    'n no nº núm p pp pág págs vol art fig tel aprox',
    'o a os as um uma em mas e se quando isso isto',
  ),
  hi: table('डॉ प्रो श्री रु रू पं मो सं कु स्व इं एड', 'सं नं पृ क्र फ़ो मो', ''),
}

function table(joined: string, beforeNumber: string, openers: string): Abbreviations {
  return { joined: words(joined), beforeNumber: words(beforeNumber), openers: words(openers) }
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/).filter((word) => word !== ''))
}
