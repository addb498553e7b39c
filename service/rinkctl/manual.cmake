# Writes the manual page with the options of every kind of job:
#   cmake -DRINKCTL=the program -DPAGE=rinkctl.1.in -DOUT=… -P manual.cmake
execute_process(COMMAND ${RINKCTL} complete manual
    OUTPUT_VARIABLE options COMMAND_ERROR_IS_FATAL ANY)
file(READ ${PAGE} page)
string(REPLACE ".\\\" @SUBMIT@\n" "${options}" page "${page}")
file(WRITE ${OUT} "${page}")
