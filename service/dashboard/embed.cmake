# Writes the C file with the files of the dashboard, and the page with their addresses:
#   cmake -DFOLDER=… -DCHARTS=uPlot's dist folder or "" -DOUT=… -P embed.cmake
file(GLOB scripts ${FOLDER}/*.js ${FOLDER}/*.css ${FOLDER}/*.svg)
set(files ${scripts})
set(charts none)
if(CHARTS)
    list(APPEND files ${CHARTS}/uPlot.iife.min.js ${CHARTS}/uPlot.min.css)
    set(charts uplot)
endif()

set(all "")
foreach(file ${files} ${FOLDER}/index.html)
    file(SHA256 ${file} hash)
    get_filename_component(name ${file} NAME)
    string(APPEND all "${name} ${hash}\n")
endforeach()
string(SHA256 version "${all}")
string(SUBSTRING ${version} 0 16 version)

set(ASSETS /assets/${version})
configure_file(${FOLDER}/index.html ${OUT}/index.html @ONLY)

set(incbins "")
set(externs "")
set(rows "")
set(number 0)
foreach(file ${OUT}/index.html ${files})
    get_filename_component(name ${file} NAME)
    get_filename_component(extension ${file} LAST_EXT)
    if(extension STREQUAL .js)
        set(type "text/javascript; charset=utf-8")
    elseif(extension STREQUAL .css)
        set(type "text/css; charset=utf-8")
    elseif(extension STREQUAL .svg)
        set(type "image/svg+xml")
    else()
        set(type "text/html; charset=utf-8")
    endif()
    string(APPEND incbins "        \"dashboard_${number}:\\n.incbin \\\"${file}\\\"\\n\"\n"
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
