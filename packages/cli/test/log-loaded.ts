/** A module for `--import` that logs the address of each module that is loaded after it on stderr. */
export const LOG_LOADED: string = `data:text/javascript,${encodeURIComponent(`
  import { writeSync } from 'node:fs'
  import { registerHooks } from 'node:module'
  registerHooks({ load(url, context, next) {
      writeSync(2, 'loaded ' + url + '\\n')
      return next(url, context)
    },
  })
`)}`
