# Writes the manual page with the options that come from tables of fields:
#   cmake -DRINKCTL=the program -DPAGE=rinkctl.1.in -DOUT=… -P manual.cmake
file(READ ${PAGE} page)
foreach(part shot map calls manual)
    execute_process(COMMAND ${RINKCTL} complete ${part}
        OUTPUT_VARIABLE options COMMAND_ERROR_IS_FATAL ANY)
    string(REPLACE ".\\\" @${part}@\n" "${options}" page "${page}")
endforeach()
file(WRITE ${OUT} "${page}")
