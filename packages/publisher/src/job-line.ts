/** A job as `pack jobs` shows it. */
export interface JobLine {
  readonly id: string
  /** Of its pack; the name of a release. */
  readonly slug: string
  readonly state: string
  /** 0 to 100. */
  readonly progress: number
  /** Times it was begun. */
  readonly attempts: number
  readonly error: string | null
}
