// Loaded by node before npm. Resolving and unpacking packages needs no other program. What would start one is a dependency
// from git, whose own settings then say which program that is.
'use strict'

const main = () => {
  try {
    return require('fs').realpathSync(process.argv[1])
  } catch {
    return ''
  }
}

if (/[\\/]npm-cli\.js$/.test(main())) {
  const child = require('child_process')
  const refuse = (program, words) => {
    const line = [program, ...(Array.isArray(words) ? words : [])].join(' ')
    throw new Error(`pml refuses to start: ${line}`)
  }
  for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork']) {
    child[name] = refuse
  }
}
