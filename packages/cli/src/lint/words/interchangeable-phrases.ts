/**
 * Phrases that a manual can exchange without a change of meaning, one group per line. Words that
 * differ in strictness (must, should, can) never share a group.
 */
const GROUPS: readonly string[] = [
  // English
  'allowed|permitted',
  "cannot|can't|can not",
  "do not|don't",
  "does not|doesn't",
  "did not|didn't",
  "is not|isn't",
  "are not|aren't",
  "was not|wasn't",
  "were not|weren't",
  "has not|hasn't",
  "have not|haven't",
  "will not|won't",
  "would not|wouldn't",
  "should not|shouldn't",
  "could not|couldn't",
  "it is|it's",
  "that is|that's",
  "there is|there's",
  "you are|you're",
  "you will|you'll",
  "you have|you've",
  "we are|we're",
  "we will|we'll",
  "we have|we've",
  "they are|they're",
  "let us|let's",
  'for example|for instance',
  'use|utilize|utilise|make use of',
  'uses|utilizes|utilises|makes use of',
  'used|utilized|utilised',
  'using|utilizing|utilising|making use of',
  'because of|due to|owing to',
  'because|due to the fact that|owing to the fact that',
  'starts with|begins with',
  'start with|begin with',
  'starting with|beginning with',
  'click|click on',
  'clicks|clicks on',
  'clicking|clicking on',
  'ensure|ensure that|make sure|make sure that',
  'ensures|ensures that|makes sure|makes sure that',
  'note that|please note that|be aware that',
  'can|is able to|are able to',
  'have to|need to',
  'has to|needs to',
  'want to|wish to|would like to',
  'whether|whether or not',
  'before|prior to',
  'if you want to|if you wish to|if you would like to',
  'currently|at the moment|at this time|at present',
  'indicates whether|specifies whether|determines whether|controls whether|tells whether',
  'indicate whether|specify whether|determine whether|control whether|tell whether',
  'multiple|several',
  'in order to be able to|to be able to',
  'true if|true when',
  'false if|false when',
  'called|invoked',
  'calls|invokes',
  'calling|invoking',
  'create a|create a new',
  'creates a|creates a new',
  'creating a|creating a new',
  'folder|directory',
  'folders|directories',
  'log in|sign in',
  'log out|sign out',
  'enabled|turned on|switched on',
  'enable|turn on|switch on',
  'disabled|turned off|switched off',
  'disable|turn off|switch off',
  'shown|displayed|rendered',
  'shows|displays',
  'see|refer to|please refer to|please see|take a look at|have a look at',
  'for more information|for more details|for further information|for further details|for additional information|for more info',
  'instead of|rather than',
  'inside|within|inside of',
  'based on|based upon',
  'depending on|depending upon',
  'while|whilst',
  'among|amongst',
  'towards|toward',
  'in addition|additionally',
  'a number of|a series of',
  'many|a large number of|a lot of',
  'per default|by default',
  'the same as|identical to',
  'via|by means of',
  'must not be|may not be',
  // German
  'zum beispiel|beispielsweise',
  'erlaubt|gestattet|zulässig',
  'verwenden|benutzen|nutzen',
  'verwendet|benutzt|genutzt',
  'verwendung|benutzung|nutzung',
  'ordner|verzeichnis',
  'anschließend|danach',
  'angezeigt|dargestellt',
  'mithilfe|mit hilfe|mittels',
  'um sicherzustellen|um zu gewährleisten',
  'stellen sie sicher|vergewissern sie sich',
  'standardmäßig|per default',
  // French
  'par exemple|à titre d’exemple',
  'utiliser|employer',
  'utilisé|employé',
  'afin de|pour|dans le but de',
  'autorisé|permis',
  'dossier|répertoire',
  'assurez-vous que|veillez à ce que|vérifiez que',
  // Spanish and Portuguese
  'utilizar|usar|hacer uso de',
  'utiliza|usa',
  'utilizado|usado',
  'por ejemplo|a modo de ejemplo',
  'carpeta|directorio',
  'con el fin de|para|a fin de',
  'asegúrese de que|verifique que|compruebe que',
  'por exemplo|a título de exemplo',
  'pasta|diretório',
  'a fim de|com o objetivo de',
]

export interface Variant {
  readonly group: number
  readonly words: readonly string[]
}

/** The variants by their first word, the longest first. */
export const variantsByWord: ReadonlyMap<string, readonly Variant[]> = indexVariants()

function indexVariants(): Map<string, Variant[]> {
  const index = new Map<string, Variant[]>()
  GROUPS.forEach((line, group) => {
    for (const phrase of line.split('|')) {
      const words = phrase.replaceAll('’', "'").split(' ')
      const variants = index.get(words[0]!) ?? []
      variants.push({ group, words })
      index.set(words[0]!, variants)
    }
  })
  for (const variants of index.values()) variants.sort((a, b) => b.words.length - a.words.length)
  return index
}
