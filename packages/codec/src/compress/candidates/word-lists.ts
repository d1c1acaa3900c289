/** Words without content of their own: no entry consists only of them. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about after all also am an and any are as at be because been before being both but by can could did do does ' +
    'each either for from had has have he her here his how i if in into is it its just may me might more most must my ' +
    'no nor not of off on once only or other our out over own per she should so some such than that the their them ' +
    'then there these they this those though through to too under until up upon us very was we were what when where ' +
    'which while who whom why will with within without would you your'
  ).split(' '),
)
