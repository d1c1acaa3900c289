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

/** English words of two and three letters, in capitals, which readers would not take for acronyms. */
export const ENGLISH_SHORT_WORDS: ReadonlySet<string> = new Set(
  (
    'AD AH AM AN AS AT BE BY DO GO HA HE HI IF IN IS IT ME MY NO OF OH OK ON OR OX SO TO UP US WE ' +
    'ACE ACT ADD AGE AGO AID AIM AIR ALL AND ANY APT ARC ARE ARM ART ASK ATE BAD BAG BAN BAR BAT BED BEE BET BID BIG BIT ' +
    'BOW BOX BOY BUG BUS BUT BUY CAB CAN CAP CAR CAT COD COP COW CRY CUP CUT DAD DAM DAY DID DIE DIG DOG DOT DRY DUE EAR ' +
    'EAT EGG EGO END ERA EVE EYE FAN FAR FAT FED FEE FEW FIG FIN FIT FIX FLY FOE FOG FOR FOX FUN FUR GAP GAS GET GOD GOT ' +
    'GUM GUN GUT GUY GYM HAD HAM HAS HAT HAY HEN HER HID HIM HIP HIS HIT HOG HOP HOT HOW HUG HUT ICE ILL INK ION ITS JAM ' +
    'JAR JAW JET JOB JOG JOY KEY KID KIT LAB LAD LAP LAW LAY LED LEG LET LID LIE LIP LIT LOG LOT LOW MAD MAN MAP MAT MAY ' +
    'MEN MET MIX MOB MOM MUD MUG NET NEW NIL NOD NOR NOT NOW NUT OAK ODD OFF OIL OLD ONE OUR OUT OWE OWL OWN PAD PAN PAY ' +
    'PEA PEN PER PET PIE PIG PIN PIT POP POT PRO PUT RAG RAN RAT RAW RAY RED RIB RID RIG ROB ROD ROW RUB RUG RUN SAD SAT ' +
    'SAW SAY SEA SEE SET SEX SHE SHY SIN SIP SIR SIT SIX SKI SKY SON SPY SUM SUN TAG TAN TAP TAR TAX TEA TEN THE THY TIE ' +
    'TIN TIP TOE TON TOO TOP TOY TRY TUB TWO USE VAN VET VIA WAR WAS WAX WAY WEB WET WHO WHY WIN WON YES YET YOU ZIP ZOO'
  ).split(' '),
)
