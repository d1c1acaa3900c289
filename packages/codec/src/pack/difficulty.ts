/** How much a reader should know already. */
export type Difficulty = 'beginner' | 'intermediate' | 'advanced' | 'expert'
