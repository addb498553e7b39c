# Writes the C file with the files of the dashboard, and the page with their addresses:
#   cmake -DFOLDER=… -DLIBRARY=folder of preact.js -DCHARTS=uPlot's folder or "" -DOUT=… -P embed.cmake
#
# A file is served below its folder here: lib/format.js. What is fetched is in vendor/. The style
# sheets are sent as one, frame/style.css.
file(GLOB scripts RELATIVE ${FOLDER} ${FOLDER}/*/*.js)
file(GLOB styles RELATIVE ${FOLDER} ${FOLDER}/*/*.css)

# Colours and elements first: what comes later may refine them.
list(REMOVE_ITEM styles frame/colours.css frame/base.css)
list(PREPEND styles frame/colours.css frame/base.css)
file(WRITE ${OUT}/style.css "")
foreach(style ${styles})
    file(READ ${FOLDER}/${style} text)
    file(APPEND ${OUT}/style.css "${text}")
endforeach()

# names and paths: the address of each file below /assets/VERSION/, and where it is.
set(names frame/style.css frame/icon.svg)
set(paths ${OUT}/style.css ${FOLDER}/frame/icon.svg)
foreach(script ${scripts})
    list(APPEND names ${script})
    list(APPEND paths ${FOLDER}/${script})
endforeach()
set(note "<p class=\"note\">This rinkd was built without its dashboard: the component library could \
not be fetched (deploy/fetch-preact.sh). The service itself works; /openapi.yaml says how.</p>")
if(LIBRARY)
    list(APPEND names vendor/preact.js)
    list(APPEND paths ${LIBRARY}/preact.js)
    set(NOTE "")
else()
    set(NOTE "${note}")
endif()
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
set(ASSETS /assets/${version})

# What every page needs is asked for at once, before its importers have been read.
set(PRELOADS "")
foreach(name ${names})
    if(name MATCHES "^(frame|lib|parts|vendor)/[a-z_]+\\.js$")
        string(APPEND PRELOADS "<link rel=\"modulepreload\" href=\"${ASSETS}/${name}\">\n")
    endif()
endforeach()
configure_file(${FOLDER}/index.html ${OUT}/index.html @ONLY)

function(type_of name ret_type)
    if(name MATCHES "\\.js$")
        set(type "text/javascript; charset=utf-8")
    elseif(name MATCHES "\\.css$")
        set(type "text/css; charset=utf-8")
    elseif(name MATCHES "\\.svg$")
        set(type "image/svg+xml")
    else()
        set(type "text/html; charset=utf-8")
    endif()
    set(${ret_type} "${type}" PARENT_SCOPE)
endfunction()

set(incbins "")
set(externs "")
set(rows "")
set(number 0)
list(PREPEND names index.html)
list(PREPEND paths ${OUT}/index.html)
foreach(name path IN ZIP_LISTS names paths)
    type_of(${name} type)
    string(APPEND incbins "        \"dashboard_${number}:\\n.incbin \\\"${path}\\\"\\n\"\n"
        "        \"dashboard_${number}_end:\\n.byte 0\\n\"\n")
    string(APPEND externs
        "extern const unsigned char dashboard_${number}[], dashboard_${number}_end[];\n")
    set(row "{\"${name}\", \"${type}\", dashboard_${number}, dashboard_${number}_end}")
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
