import { mayCarryKey } from '@packs/client'

/** The environment of an agent. */
export interface AgentEnvironment {
  /** URL of a catalog, and a key of an account there. */
  readonly PACK_URL: string
  readonly PACK_KEY: string
  /** URL of a model that ends with `/v1`, a key, and the name of the model. */
  readonly MODEL_URL: string
  readonly MODEL_KEY: string
  readonly MODEL_NAME: string
}

const PURPOSES = {
  PACK_URL: 'the URL of a catalog; `npx -y pnpm@12 start` serves one and prints it',
  PACK_KEY: 'an API key of that catalog',
  MODEL_URL: 'the URL of a model; `npx node examples/stand-in-model.ts` starts a stand-in and prints it',
}

/** Reads the environment of an agent. Ends the program, and says what to set, if something is missing. */
export function readEnvironment(): AgentEnvironment {
  const { PACK_URL = '', PACK_KEY = '', MODEL_URL = '' } = process.env
  const { MODEL_KEY = '', MODEL_NAME = 'stand-in' } = process.env
  const given = { PACK_URL, PACK_KEY, MODEL_URL }
  for (const [name, value] of Object.entries(given)) {
    if (value !== '') continue
    console.error(`Set ${name}: ${PURPOSES[name as keyof typeof PURPOSES]}.`)
    process.exit(2)
  }
  if (MODEL_KEY !== '' && !mayCarryKey(MODEL_URL)) {
    console.error('MODEL_KEY is sent over https, and over http to this machine only: correct MODEL_URL.')
    process.exit(2)
  }
  return { ...given, MODEL_KEY, MODEL_NAME }
}
