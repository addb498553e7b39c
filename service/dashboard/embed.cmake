# Writes the C file with the files of the dashboard, and the page with their addresses:
#   cmake -DFOLDER=… -DLIBRARY=preact.js's folder or "" -DCHARTS=uPlot's folder or ""
#         -DBUNDLER=esbuild or "" -DOUT=… -P embed.cmake
#
# The style sheets are sent as one, frame/style.css. With a bundler the scripts are a few files in
# frame/; without it, or without Preact, each is served below its folder here: lib/format.js. What is
# fetched is in vendor/.
file(GLOB styles RELATIVE ${FOLDER} ${FOLDER}/*/*.css)

# Colours and elements first: what comes later may refine them.
list(REMOVE_ITEM styles frame/colours.css frame/base.css)
list(PREPEND styles frame/colours.css frame/base.css)
file(WRITE ${OUT}/style.css "")
foreach(style ${styles})
    file(READ ${FOLDER}/${style} text)
    file(APPEND ${OUT}/style.css "${text}")
endforeach()

# The scripts here, beside the library that they import, and the folder that they are served from.
file(REMOVE_RECURSE ${OUT}/tree ${OUT}/bundle)
file(MAKE_DIRECTORY ${OUT}/tree)
file(GLOB folders RELATIVE ${FOLDER} ${FOLDER}/*)
foreach(folder ${folders})
    file(CREATE_LINK ${FOLDER}/${folder} ${OUT}/tree/${folder} SYMBOLIC)
endforeach()

# The glossary as a script, and a check that it has each word that a page asks it about.
file(READ ${FOLDER}/../../api/glossary.md glossary)
file(GLOB scripts ${FOLDER}/*/*.js)
foreach(script ${scripts})
    file(READ ${script} text)
    string(REGEX MATCHALL "[{]Term[}] word=\"[^\"]+\"|term: '[^']+'" asked "${text}")
    foreach(one ${asked})
        string(REGEX REPLACE ".*[\"']([^\"']+)[\"']$" "\\1" word "${one}")
        string(FIND "${glossary}" "| ${word}" first)
        string(FIND "${glossary}" ", ${word}" other)
        if(first EQUAL -1 AND other EQUAL -1)
            message(FATAL_ERROR "${script}: api/glossary.md does not say what “${word}” is")
        endif()
    endforeach()
endforeach()
string(REPLACE "\\" "\\\\" glossary "${glossary}")
string(REPLACE "\"" "\\\"" glossary "${glossary}")
string(REPLACE "\n" "\\n" glossary "${glossary}")
file(MAKE_DIRECTORY ${OUT}/tree/generated)
file(WRITE ${OUT}/tree/generated/glossary.js "export const GLOSSARY = \"${glossary}\";\n")

set(root ${OUT}/tree)
set(ENTRY frame/app.js)
set(everywhere "^(frame|lib|parts|vendor)/[a-z_]+\\.js$") # what every page needs
set(NOTE "<p class=\"note\">This rinkd was built without its dashboard: the component library could \
not be fetched (deploy/fetch-preact.sh). The service itself works; /openapi.yaml says how.</p>")
if(LIBRARY)
    set(NOTE "")
    file(CREATE_LINK ${LIBRARY} ${OUT}/tree/vendor SYMBOLIC)
endif()
file(GLOB scripts RELATIVE ${OUT}/tree ${OUT}/tree/*/*.js)

if(LIBRARY AND BUNDLER)
    # esbuild makes a chunk for each set of pages that share a file: 34, most of them tiny. --inject
    # has every file import this list, so that all of it shares one chunk, which app.js imports.
    list(FILTER scripts INCLUDE REGEX ${everywhere})
    list(TRANSFORM scripts REPLACE "(.+)" "import './\\1';\n")
    file(WRITE ${OUT}/tree/everywhere.js ${scripts})
    execute_process(COMMAND ${BUNDLER}/esbuild --bundle --splitting --format=esm --minify
        --target=es2022 --preserve-symlinks --inject:${OUT}/tree/everywhere.js
        --entry-names=frame/[name] --chunk-names=frame/[name]-[hash] --outdir=${OUT}/bundle
        --log-level=warning ${OUT}/tree/frame/app.js ${OUT}/style.css
        COMMAND_ERROR_IS_FATAL ANY)
    set(root ${OUT}/bundle)
    configure_file(${root}/frame/style.css ${OUT}/style.css COPYONLY)
    file(GLOB scripts RELATIVE ${root} ${root}/*/*.js)
    file(READ ${root}/frame/app.js app)
    string(REGEX MATCH "chunk-[A-Z0-9]+\\.js" chunk "${app}")
    # frame/app.js only imports the chunk, so the page begins with the chunk itself.
    list(REMOVE_ITEM scripts frame/app.js)
    set(ENTRY frame/${chunk})
    set(everywhere "^$")
endif()

# names and paths: the address of each file below /assets/VERSION/, and where it is.
set(names frame/style.css frame/icon.svg ${scripts})
list(TRANSFORM scripts PREPEND ${root}/)
set(paths ${OUT}/style.css ${FOLDER}/frame/icon.svg ${scripts})
set(charts none)
if(CHARTS)
    list(APPEND names vendor/uPlot.iife.min.js vendor/uPlot.min.css)
    list(APPEND paths ${CHARTS}/uPlot.iife.min.js ${CHARTS}/uPlot.min.css)
    set(charts uplot)
endif()

set(all "")
foreach(name path IN ZIP_LISTS names paths)
    file(SHA256 ${path} hash)
    string(APPEND all "${name} ${hash}\n")
endforeach()
file(SHA256 ${FOLDER}/index.html hash)
string(SHA256 version "${all}index.html ${hash}\n")
string(SUBSTRING ${version} 0 16 version)
set(ASSETS assets/${version}) # relative: a proxy may show the page under a path of its own

# What every page needs is asked for at once, before its importers have been read.
set(PRELOADS "")
foreach(name ${names})
    if(name MATCHES ${everywhere})
        string(APPEND PRELOADS "<link rel=\"modulepreload\" href=\"${ASSETS}/${name}\">\n")
    endif()
endforeach()
configure_file(${FOLDER}/index.html ${OUT}/index.html @ONLY)

set(type_js "text/javascript; charset=utf-8")
set(type_css "text/css; charset=utf-8")
set(type_svg "image/svg+xml")
set(type_html "text/html; charset=utf-8")

set(incbins "")
set(externs "")
set(rows "")
set(number 0)
list(PREPEND names index.html)
list(PREPEND paths ${OUT}/index.html)
foreach(name path IN ZIP_LISTS names paths)
    string(REGEX MATCH "[a-z]+$" extension ${name})
    string(APPEND incbins "        \"dashboard_${number}:\\n.incbin \\\"${path}\\\"\\n\"\n"
        "        \"dashboard_${number}_end:\\n.byte 0\\n\"\n")
    string(APPEND externs
        "extern const unsigned char dashboard_${number}[], dashboard_${number}_end[];\n")
    set(row "{\"${name}\", \"${type_${extension}}\", dashboard_${number}, dashboard_${number}_end}")
    if(number EQUAL 0)
        set(page "${row}")
    else()
        string(APPEND rows "    ${row},\n")
    endif()
    math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUT}/files.c "/* Written by embed.cmake. */
#include \"service/dashboard/files.h\"

${externs}
__asm__(\".section .rodata\\n\"
${incbins}        \".previous\\n\");

const char dashboard_version[] = \"${version}\";
const struct dashboard_file dashboard_page = ${page};
const struct dashboard_file dashboard_files[] = {
${rows}    {0},
};
")
